// Long because a load is checked in each way in which it begins, is interrupted and continues.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { contentOf } from './account.ts';
import { type Desk, ended, patienceMs, useDesk } from './waymark.ts';

type Summary = {
  readonly rows: number;
  readonly created: number;
  readonly refused: number;
  readonly resumedAfter: number;
  readonly correlation: string;
};

const ndjson = (desk: Desk, name: string, rows: readonly (object | string)[]): string => {
  const file = join(desk.directory, name);
  writeFileSync(file, rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n'));
  return file;
};

const place = (name: string) => ({ name, latitude: 47.3, longitude: 8.5, tags: ['load'] });

describe('waymark load', () => {
  const desk = useDesk();
  const rows = [place('one'), '{"name":', { name: 'no place' }, { ...place('four'), latitude: 91 }, '', place('five')];

  it(
    'creates a pinpoint for every valid row of an NDJSON file, and reports every other row',
    async () => {
      const file = ndjson(desk, 'rows.ndjson', rows);
      const { code, stdout, stderr } = await desk.run('load', file, '--account', 'acme', '--json');
      expect(code).toBe(5);
      expect(JSON.parse(stdout)).toMatchObject({ complete: true, rows: 5, created: 2, refused: 3, resumedAfter: 0 });
      expect(stderr.split('\n').slice(0, 3)).toEqual([
        expect.stringMatching(/^row 2 \(line 2\): The line is no JSON/),
        'row 3 (line 3): latitude: This field is required. longitude: This field is required.',
        'row 4 (line 4): latitude: Ensure this value is less than or equal to 90.',
      ]);
    },
    patienceMs,
  );

  it(
    'creates nothing when the same file is loaded again, and everything for another account',
    async () => {
      const file = join(desk.directory, 'rows.ndjson');
      expect(await desk.json(['load', file, '--account', 'acme'], 5)).toMatchObject({ created: 2, resumedAfter: 5 });
      expect(await desk.json(['load', file, '--account', 'other'], 5)).toMatchObject({ created: 2, resumedAfter: 0 });
      const server = await desk.serve();
      expect((await contentOf(desk, server, 'acme', 'pinpoints')).map(({ name }) => name)).toEqual(['one', 'five']);
      await server.stop();
    },
    patienceMs,
  );

  it(
    'prints the correlation of its changes, which is that of the first run, and one of its own for another file or account',
    async () => {
      const file = join(desk.directory, 'rows.ndjson');
      const [first, other] = await Promise.all(
        ['acme', 'other'].map((account) => desk.json<Summary>(['load', file, '--account', account], 5)),
      );
      const { stdout, stderr } = await desk.run('load', file, '--account', 'acme');
      expect(stderr.split('\n')[0]).toBe(`Correlation-Id: ${first?.correlation}`);
      expect(stdout).toMatch(/^5 rows: /);
      const loaded = await desk.json<Summary>(['load', ndjson(desk, 'single.ndjson', [place('single')]), '--account', 'acme']);
      expect(new Set([first?.correlation, other?.correlation, loaded.correlation]).size).toBe(3);
      expect(createdWith(desk, loaded.correlation)).toBe(1);
      expect(createdWith(desk, first?.correlation ?? '')).toBe(2);
    },
    patienceMs,
  );

  it(
    'with a comment makes its changes a changeset, which a load that is run again keeps',
    async () => {
      const file = ndjson(desk, 'commented.ndjson', [place('first'), place('second')]);
      const load = ['load', file, '--account', 'commented', '--comment', ' New lights ', '--by', 'Rasa'];
      const { correlation } = await desk.json<Summary>(load);
      const again = await Promise.all([desk.json<Summary>(load), desk.json<Summary>(load.slice(0, 4))]);
      expect(again.map((summary) => summary.correlation)).toEqual([correlation, correlation]);
      expect(createdWith(desk, correlation)).toBe(2);
      expect(changesetsIn(desk)).toEqual([expect.objectContaining({ changeset: correlation, comment: 'New lights', by: 'Rasa' })]);
    },
    patienceMs,
  );

  it(
    'refuses a comment that it cannot record, and creates nothing',
    async () => {
      const file = ndjson(desk, 'uncommented.ndjson', [place('first')]);
      const load = (account: string, ...more: readonly string[]) => desk.run('load', file, '--account', account, ...more);
      const empty = await load('fresh', '--comment', ' ');
      expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('comment: This field may not be blank.')]);
      expect(await load('fresh', '--by', 'Rasa')).toMatchObject({ code: 2, stderr: expect.stringContaining('--by needs --comment.') });

      // Its application was registered without the scope.
      const lacking = await load('acme', '--comment', 'New lights');
      expect(lacking).toMatchObject({ code: 4, stderr: expect.stringContaining('lacks the scope audit') });

      await desk.json<Summary>(['load', file, '--account', 'fresh']);
      const later = await load('fresh', '--comment', 'New lights');
      expect(later).toMatchObject({ code: 4, stderr: expect.stringContaining('loaded without a comment before, up to row 1') });
      expect(changesetsIn(desk)).toHaveLength(1);
    },
    patienceMs,
  );

  it(
    'keeps its notes private, and leaves no valid secret behind',
    async () => {
      const [note = ''] = readdirSync(join(desk.directory, 'loads'));
      expect(statSync(join(desk.directory, 'loads', note)).mode & 0o777).toBe(0o600);
      const applications = await desk.json<{ name: string; secret_ids: string[] }[]>(['app', 'list']);
      const own = applications.filter(({ name }) => name === 'waymark load');
      expect(own.map(({ secret_ids }) => secret_ids)).toEqual([[], [], [], []]);
    },
    patienceMs,
  );

  it(
    'accepts CSV, and writes a report to the given file',
    async () => {
      const file = join(desk.directory, 'rows.csv');
      const report = join(desk.directory, 'report.ndjson');
      writeFileSync(file, 'name,latitude,longitude,tags\n"A, B",1,2,sea;sun\nbad,north,2,\nshort,1\n"C\nD",3.5,4,\n');
      const refused = await desk.run('load', file, '--account', 'csv', '--report', join(desk.directory, 'missing', 'report'));
      expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('cannot be written to') });
      const summary = await desk.json<Summary>(['load', file, '--account', 'csv', '--report', report], 5);
      expect(summary).toMatchObject({ rows: 4, created: 2, refused: 2 });
      const reported = readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(reported).toEqual([
        { row: 2, line: 3, problems: { latitude: ['A valid number is required.'] } },
        { row: 3, line: 4, problems: { detail: '4 cells are expected, there are 2.' } },
      ]);
      const server = await desk.serve();
      const found = await contentOf(desk, server, 'csv', 'pinpoints');
      expect(found.map(({ name, latitude, tags }) => ({ name, latitude, tags }))).toEqual([
        { name: 'A, B', latitude: 1, tags: ['sea', 'sun'] },
        { name: 'C\nD', latitude: 3.5, tags: [] },
      ]);
      await server.stop();
    },
    patienceMs,
  );

  it(
    'refuses files that it cannot read',
    async () => {
      expect((await desk.run('load', join(desk.directory, 'none.csv'), '--account', 'a')).code).toBe(2);
      writeFileSync(join(desk.directory, 'places.txt'), '');
      expect((await desk.run('load', join(desk.directory, 'places.txt'), '--account', 'a')).code).toBe(2);
      writeFileSync(join(desk.directory, 'headless.csv'), 'one,2,3\n');
      expect((await desk.run('load', join(desk.directory, 'headless.csv'), '--account', 'a')).code).toBe(2);
    },
    patienceMs,
  );
});

const count = 4_000;

describe.each([{ server: 'running' }, { server: 'in the same process' }])(
  'waymark load with a server $server, interrupted in the middle',
  ({ server }) => {
    const desk = useDesk();
    const names = Array.from({ length: count }, (_, index) => `place ${index}`);

    it.each(['SIGKILL', 'SIGINT'] as const)(
      'by %s continues where it stopped: no row is lost, none is created twice',
      async (signal) => {
        const account = signal.toLowerCase();
        const file = ndjson(desk, `${account}.ndjson`, names.map(place));
        const serving = server === 'running' ? await desk.serve() : undefined;
        const load = desk.spawn('load', file, '--account', account);
        const { correlation } = await noted(join(desk.directory, 'loads'), account);
        const code = await ended(load, signal);
        expect(code).toBe(signal === 'SIGINT' ? 130 : null);

        const summary = await desk.json<Summary>(['load', file, '--account', account]);
        expect(summary).toMatchObject({ rows: count, created: count, refused: 0, correlation });
        expect(summary.resumedAfter).toBeGreaterThan(0);
        expect(summary.resumedAfter).toBeLessThan(count);

        const looking = serving ?? (await desk.serve());
        const found = (await contentOf(desk, looking, account, 'pinpoints')).map(({ name }) => name);
        expect(found).toHaveLength(count);
        expect(new Set(found)).toEqual(new Set(names));
        await looking.stop();
        expect(createdWith(desk, correlation)).toBe(count);
      },
      patienceMs,
    );
  },
);

describe('two first loads into an account at the same time', () => {
  const desk = useDesk();
  const names = Array.from({ length: count }, (_, index) => `place ${index}`);

  it(
    'create no row twice when they are killed and run again, although they work as two applications',
    async () => {
      const server = await desk.serve();
      const files = ['a', 'b'].map((name) =>
        ndjson(
          desk,
          `${name}.ndjson`,
          names.map((text) => place(`${name} ${text}`)),
        ),
      );
      const loads = files.map((file) => desk.spawn('load', file, '--account', 'acme'));
      for (const file of files) await noted(join(desk.directory, 'loads'), 'acme', file);
      await Promise.all(loads.map((load) => ended(load, 'SIGKILL')));
      for (const file of files)
        expect(await desk.json<Summary>(['load', file, '--account', 'acme'])).toMatchObject({ rows: count, created: count });
      const found = (await contentOf(desk, server, 'acme', 'pinpoints')).map(({ name }) => name);
      expect(found).toHaveLength(files.length * count);
      await server.stop();
    },
    patienceMs,
  );
});

/** Waits until the progress of a load is recorded, before the load ends. */
const noted = async (directory: string, account: string, file?: string): Promise<{ readonly correlation: string }> => {
  for (;;) {
    await sleep(5);
    for (const name of filesIn(directory)) {
      const note = JSON.parse(readFileSync(join(directory, name), 'utf8'));
      if (note.account === account && note.row > 0 && (file === undefined || note.file === file)) return note;
    }
  }
};

const filesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
};

/** Returns how many creations of pinpoints the log has with this correlation. */
const createdWith = (desk: Desk, correlation: string): unknown =>
  selected(
    desk,
    "select count(*) from event where envelope ->> 'type' = 'PinpointCreated' and envelope ->> 'correlation' = ?",
    correlation,
  )[0];

/** Returns the content of every changeset in the log. */
const changesetsIn = (desk: Desk): readonly unknown[] =>
  selected(desk, "select content from event where envelope ->> 'type' = 'ChangesetOpened'").map((content) => JSON.parse(String(content)));

/** Returns the first column of the rows. */
const selected = (desk: Desk, query: string, ...values: readonly string[]): readonly unknown[] => {
  const log = new SQLite(join(desk.directory, 'log.db'), { readonly: true });
  try {
    return log
      .prepare(query)
      .pluck()
      .all(...values);
  } finally {
    log.close();
  }
};
