import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import { contractRows, endpointStatuses, tableLinesOf } from './documents.ts';

// README.md lists which tests cover which row of the two documents. These tests compare it with the documents and with the tests.

type Row = { readonly place: string; readonly tests: readonly string[]; readonly reason: string | undefined };
/** A test's full name, and its name in the source, before `it.each` fills in the values. */
type Title = { readonly full: string; readonly written: string };

const tablesOf = (text: string): Row[] =>
  tableLinesOf(text)
    .filter(([first = '']) => !/^(Section|Method|Promise|-+)$/.test(first))
    .map((cells) => {
      const last = cells.at(-1) ?? '';
      const tests = [...last.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name);
      const reason = /\b(?:cluster|later|inside): (.+)/.exec(last)?.[1];
      return { place: cells.slice(0, -1).join(' | '), tests, reason };
    });

/** Returns the titles of a file's tests. The tests do not run: meanwhile, jest's functions only record the titles. */
const titlesOf = async (file: string): Promise<Title[]> => {
  const titles: Title[] = [];
  let outer = '';
  const it = (title: string): void => void titles.push({ full: outer + title, written: outer + title });
  const each = (cases: readonly unknown[]) => (title: string) => {
    for (const row of cases) titles.push({ full: outer + filled(title, row), written: outer + title });
  };
  const describe = (title: string, tests: () => void): void => {
    const before = outer;
    outer += `${title} `;
    tests();
    outer = before;
  };
  const skip = (title: string, tests: () => void): void => describe(title.replace(/ \(left out: .*\)$/, ''), tests);
  const hook = (): void => undefined;
  const { it: realIt, describe: realDescribe, beforeAll, afterAll, afterEach } = globalThis;
  const hooks = { beforeAll: hook, afterAll: hook, afterEach: hook };
  const notes = { it: Object.assign(it, { each }), describe: Object.assign(describe, { skip }), ...hooks };
  try {
    Object.assign(globalThis, notes);
    await import(`./${file}`);
  } finally {
    Object.assign(globalThis, { it: realIt, describe: realDescribe, beforeAll, afterAll, afterEach });
  }
  return titles;
};

const filled = (title: string, row: unknown): string => {
  const values: readonly unknown[] = Array.isArray(row) ? row : [row];
  return format(title, ...values.slice(0, title.match(/%[sdj]/g)?.length ?? 0));
};

const testFiles = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts') && name !== 'table.test.ts');
const rows = tablesOf(readFileSync(join(import.meta.dirname, 'README.md'), 'utf8'));
const places = rows.map(({ place }) => place);
const named = new Set(rows.flatMap(({ tests }) => tests));

describe('The table in README.md', () => {
  it('has every row of the contract', () => {
    const missing = contractRows()
      .map(({ section, topic }) => `${section} | ${topic}`)
      .filter((place) => !places.includes(place));
    expect(missing).toEqual([]);
  });

  it('has every endpoint with every status of the specification', () => {
    const missing = endpointStatuses()
      .map(({ method, path, status }) => `${method} | ${path} | ${status}`)
      .filter((place) => !places.includes(place));
    expect(missing).toEqual([]);
  });

  it('has no row twice, and none without a test or a reason', () => {
    expect(places).toHaveLength(new Set(places).size);
    expect(rows.filter(({ tests, reason }) => tests.length === 0 && reason === undefined)).toEqual([]);
  });

  it('has only rows of the two documents, except in its last part', () => {
    const known = [
      ...contractRows().map(({ section, topic }) => `${section} | ${topic}`),
      ...endpointStatuses().map(({ method, path, status }) => `${method} | ${path} | ${status}`),
    ];
    expect(places.filter((place) => place.includes(' | ') && !known.includes(place))).toEqual([]);
  });

  it('names every test, and only existing tests', async () => {
    const titles: Title[] = [];
    for (const file of testFiles) titles.push(...(await titlesOf(file)));
    const there = new Set(titles.flatMap(({ full, written }) => [full, written]));
    expect([...named].filter((name) => !there.has(name))).toEqual([]);
    expect(titles.filter(({ full, written }) => !named.has(full) && !named.has(written))).toEqual([]);
    // Two tests with the same name could not be distinguished.
    const names = titles.map(({ full }) => full);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    expect(names.length).toBeGreaterThan(500);
  });
});
