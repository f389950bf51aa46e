import { createReadStream } from 'node:fs';
import { rowBytesMax } from '../limits.ts';
import { type Line, linesOf } from './lines.ts';
import type { Row } from './row.ts';

/** Reads the rows of an NDJSON file. Every line that is not blank is a row: one JSON object. */
export async function* ndjsonRows(file: string): AsyncGenerator<Row> {
  let row = 0;
  for await (const line of linesOf(createReadStream(file), rowBytesMax)) {
    if (line.bytes !== undefined && isBlank(line.bytes)) continue;
    row += 1;
    yield { row, line: line.number, end: line.end, ...contentOf(line) };
  }
}

const blanks = new Set([...Buffer.from(' \t\r')]);
const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => blanks.has(byte));

/** Also removes a byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true });

const contentOf = ({ bytes }: Line): { readonly body: string } | { readonly problem: string } => {
  if (bytes === undefined) return { problem: `The line is longer than ${rowBytesMax} bytes.` };
  let body: string;
  try {
    body = decoder.decode(bytes);
  } catch {
    return { problem: 'The line is not UTF-8 text.' };
  }
  return contentOfText(body);
};

const contentOfText = (body: string): { readonly body: string } | { readonly problem: string } => {
  try {
    const value: unknown = JSON.parse(body);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { body } : { problem: 'The line is JSON, but no object.' };
  } catch (error) {
    return { problem: `The line is no JSON: ${(error as Error).message}` };
  }
};
