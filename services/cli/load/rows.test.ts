import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csvRows } from './csv.ts';
import { ndjsonRows } from './ndjson.ts';
import type { Row } from './row.ts';

const directory = mkdtempSync(join(tmpdir(), 'waymark-rows-'));
afterAll(() => rmSync(directory, { recursive: true }));

const written = (name: string, content: string | Buffer): string => {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
};

const all = async (rows: AsyncGenerator<Row>): Promise<Row[]> => {
  const found = [];
  for await (const row of rows) found.push(row);
  return found;
};

/** Returns the row, the line, and the pinpoint or the beginning of the problem. */
const brief = (row: Row) => [row.row, row.line, 'body' in row ? JSON.parse(row.body) : row.problem.slice(0, 30)];

describe('NDJSON', () => {
  const rows = async (content: string | Buffer) => (await all(ndjsonRows(written('rows.ndjson', content)))).map(brief);

  it('has a row on every line that is not blank', async () => {
    expect(await rows('{"name":"a"}\n\n  \r\n{"name":"b"}\r\n')).toEqual([
      [1, 1, { name: 'a' }],
      [2, 4, { name: 'b' }],
    ]);
  });

  it('may begin with a byte order mark', async () => {
    expect(await rows('\uFEFF{"name":"a"}')).toEqual([[1, 1, { name: 'a' }]]);
  });

  it('reports the problem of each line that is not a JSON object, and continues', async () => {
    const latin1 = Buffer.from('{"name":"Zürich"}\n', 'latin1');
    expect(await rows(Buffer.concat([Buffer.from('{"name":\n[1]\nnull\n'), latin1, Buffer.from('{}')]))).toEqual([
      [1, 1, 'The line is no JSON: Unexpecte'],
      [2, 2, 'The line is JSON, but no objec'],
      [3, 3, 'The line is JSON, but no objec'],
      [4, 4, 'The line is not UTF-8 text.'],
      [5, 5, {}],
    ]);
  });
});

describe('CSV', () => {
  const warnings: string[] = [];
  beforeEach(() => warnings.splice(0));
  const rows = async (content: string | Buffer) =>
    (await all(csvRows(written('rows.csv', content), (text) => warnings.push(text)))).map(brief);

  it('reads numbers, texts and tags from the columns that the first line names', async () => {
    const content = '\uFEFFname,latitude,longitude,altitude,category,tags,address\n"A, ""b""",+47.5,-8.5e0,,3,sea; sun ;,Main\n';
    expect(await rows(content)).toEqual([
      [1, 2, { name: 'A, "b"', latitude: 47.5, longitude: -8.5, category: 3, tags: ['sea', 'sun'], address: 'Main' }],
    ]);
  });

  it('leaves values that are not numbers to the API', async () => {
    const content = 'name,latitude,longitude,altitude\na,47° N,0x10,1e400\n';
    expect(await rows(content)).toEqual([[1, 2, { name: 'a', latitude: '47° N', longitude: '0x10', altitude: '1e400' }]]);
  });

  it('may end its lines in several ways', async () => {
    expect(await rows('latitude,longitude,name\n1,2,a\r\n1,2,"b, c"\r\n\r\n1,2,d\r1,2,e\n')).toEqual([
      [1, 2, { name: 'a', latitude: 1, longitude: 2 }],
      [2, 3, { name: 'b, c', latitude: 1, longitude: 2 }],
      [3, 5, { name: 'd', latitude: 1, longitude: 2 }],
      [4, 6, { name: 'e', latitude: 1, longitude: 2 }],
    ]);
  });

  it('counts lines, also within a cell', async () => {
    expect(await rows('name,latitude,longitude\r\n"two\nlines",1,2\r\n\r\nb,1,2\r\n')).toEqual([
      [1, 2, { name: 'two\nlines', latitude: 1, longitude: 2 }],
      [2, 5, { name: 'b', latitude: 1, longitude: 2 }],
    ]);
    expect((await rows('name,latitude,longitude\r\n"two\r\nlines",1,2\r\nb,1,2\r\n')).map(([row, line]) => [row, line])).toEqual([
      [1, 2],
      [2, 4],
    ]);
  });

  it('reports rows with too few or too many cells, or that are not UTF-8, and continues', async () => {
    const latin1 = Buffer.from('Zürich,1,2\n', 'latin1');
    expect(await rows(Buffer.concat([Buffer.from('name,latitude,longitude\na,1\nb,1,2,3\n'), latin1, Buffer.from('c,1,2')]))).toEqual([
      [1, 2, '3 cells are expected, there ar'],
      [2, 3, '3 cells are expected, there ar'],
      [3, 4, 'The row is not UTF-8 text.'],
      [4, 5, { name: 'c', latitude: 1, longitude: 2 }],
    ]);
  });

  it('ends at a quote that is never closed, and reports it', async () => {
    const found = await rows('name,latitude,longitude\na,1,2\n"b,1,2\nc,1,2\n');
    expect(found).toEqual([
      [1, 2, { name: 'a', latitude: 1, longitude: 2 }],
      [2, 3, 'A quote is opened and never cl'],
    ]);
  });

  it('warns of columns that are not fields', async () => {
    const content = 'name,latitude,longitude,population,__proto__,toString\na,1,2,3,4,5\n';
    expect(await rows(content)).toEqual([[1, 2, { name: 'a', latitude: 1, longitude: 2 }]]);
    const ignored = ['population', '__proto__', 'toString'];
    expect(warnings).toEqual(ignored.map((name) => `The column "${name}" is not a field of a pinpoint and is ignored.`));
  });

  it('is refused as a whole without the columns that every pinpoint needs', async () => {
    await expect(rows('name;latitude;longitude\n')).rejects.toThrow('Missing: name, latitude, longitude.');
    await expect(rows('')).rejects.toThrow('Missing: name, latitude, longitude.');
    await expect(rows('name,latitude,longitude,name\n')).rejects.toThrow('names name twice');
  });
});
