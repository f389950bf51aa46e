import { createReadStream } from 'node:fs';
import { type CsvError, parse } from 'csv-parse';
import { rowBytesMax } from '../limits.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { fieldNames, pinpointOf, requiredNames } from './csv-fields.ts';
import type { Row, RowLocation } from './row.ts';

type CsvRecord = { readonly cells: readonly string[]; readonly line: number; readonly end: number };

/** Reads the rows of a CSV file. The first record names the fields; every other record is a row. */
export async function* csvRows(file: string, warn: (text: string) => void): AsyncGenerator<Row> {
  const reading = readRecords(file);
  let names: readonly string[] | undefined;
  let last: RowLocation = { row: 0, line: 0, end: 0 };
  for await (const { cells, line, end } of reading.records) {
    last = { row: names === undefined ? 0 : last.row + 1, line, end };
    if (names === undefined) names = headingsOf(cells, warn);
    else yield { ...last, ...contentOf(names, cells) };
  }
  names ??= headingsOf([], warn);
  const fault = reading.fault();
  if (fault !== undefined) yield { row: last.row + 1, line: last.line + 1, end: last.end, problem: unreadable(fault) };
}

/** Reads records up to the first error. Behind an error, it is unknown where a record begins. */
const readRecords = (file: string) => {
  let fault: CsvError | undefined;
  let countedTwice = 0;
  const places: Pick<CsvRecord, 'line' | 'end'>[] = [];
  const parser = parse({
    bom: true,
    // Without them, the end of the first line decides, and in a file with several kinds of line ends cells would end in a carriage return.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: rowBytesMax,
    skip_records_with_error: true,
    on_skip: (error) => {
      fault ??= error;
      return undefined;
    },
    on_record: (cells, { lines, bytes }) => {
      if (fault !== undefined) return null;
      // Within a cell, the parser counts each character of a line end.
      places.push({ line: lines - countedTwice - countIn(cells, /[\r\n]/g), end: bytes });
      countedTwice += countIn(cells, /\r\n/g);
      return cells;
    },
  });
  const source = createReadStream(file);
  source.on('error', (error) => parser.destroy(error));
  parser.on('close', () => source.destroy());
  async function* records(): AsyncGenerator<CsvRecord> {
    for await (const cells of source.pipe(parser)) yield { cells, line: 0, end: 0, ...places.shift() };
  }
  return { records: records(), fault: (): CsvError | undefined => fault };
};

const countIn = (cells: readonly string[], lineEnds: RegExp): number =>
  cells.reduce((count, cell) => count + (cell.match(lineEnds)?.length ?? 0), 0);

const unreadable = ({ code, message }: CsvError): string => {
  const reason = code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE' ? 'A quote is opened and never closed' : message;
  return `${reason}: from here on the file cannot be read. Load the remaining rows from a separate file.`;
};

const headingsOf = (cells: readonly string[], warn: (text: string) => void): readonly string[] => {
  const names = cells.map((name) => name.trim());
  const missing = requiredNames.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    const known = fieldNames.join(', ');
    throw new CommandFailed(
      'usage',
      `The first line must name the fields, separated by commas. Missing: ${missing.join(', ')}. Fields: ${known}.`,
    );
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new CommandFailed('usage', `The first line names ${twice} twice.`);
  for (const name of names) if (!fieldNames.includes(name)) warn(`The column "${name}" is not a field of a pinpoint and is ignored.`);
  return names;
};

const contentOf = (names: readonly string[], cells: readonly string[]): { readonly body: string } | { readonly problem: string } => {
  if (cells.length !== names.length) return { problem: `${names.length} cells are expected, there are ${cells.length}.` };
  if (cells.some((cell) => cell.includes('\uFFFD'))) return { problem: 'The row is not UTF-8 text.' };
  return { body: JSON.stringify(pinpointOf(names, cells)) };
};
