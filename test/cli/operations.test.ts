import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNoteSigner } from '@waymark/proof/signed-note.ts';
import SQLite from 'better-sqlite3';
import { contentOf } from './account.ts';
import { patienceMs, useDesk } from './waymark.ts';

const rowsFile = (directory: string, name: string, count: number): string => {
  const file = join(directory, name);
  const row = (index: number) => JSON.stringify({ name: `${name} ${index}`, latitude: index / 100, longitude: 1 });
  writeFileSync(file, Array.from({ length: count }, (_, index) => row(index)).join('\n'));
  return file;
};

describe('waymark backup, restore, verify and rebuild', () => {
  const desk = useDesk();
  const backup = join(desk.directory, 'backups', 'first');

  it(
    'restore the earlier state of an installation, with a server running or not',
    async () => {
      const first = await desk.serve();
      await desk.json(['load', rowsFile(desk.directory, 'before.ndjson', 50), '--account', 'acme']);
      const made = await desk.json<{ head: number }>(['backup', backup]);
      await desk.json(['load', rowsFile(desk.directory, 'after.ndjson', 30), '--account', 'acme']);
      expect((await desk.run('backup', backup)).code).toBe(4);
      expect(await desk.run('restore', backup)).toMatchObject({ code: 4, stderr: expect.stringContaining('stop it first') });
      await first.stop();

      const restored = await desk.json<{ head: number; keptIn: string; notaryContinues: boolean }>(['restore', backup]);
      expect(restored).toMatchObject({ head: made.head, notaryContinues: false });
      expect(readdirSync(restored.keptIn)).toContain('log.db');
      expect(await desk.json(['verify'])).toMatchObject({ sound: true, log: [], readModels: { equal: true } });

      const second = await desk.serve();
      const names = (await contentOf(desk, second, 'acme', 'pinpoints')).map(({ name }) => name);
      expect(names.filter((name) => name.startsWith('before'))).toHaveLength(50);
      expect(names).toHaveLength(50);
      expect(await desk.json(['rebuild'])).toMatchObject({ events: expect.any(Number), seconds: expect.any(Number) });
      expect(await desk.json(['verify'])).toMatchObject({ sound: true });
      expect(await contentOf(desk, second, 'acme', 'pinpoints')).toHaveLength(50);
      expect(await desk.json(['status'])).toMatchObject({ notary: { state: 'refusing' } });
      await second.stop();
      expect(await desk.run('restore', backup)).toMatchObject({ code: 0, stdout: expect.stringContaining('run waymark notary begin') });
    },
    patienceMs,
  );

  it(
    'refuse a backup that was changed, and leave the installation unchanged',
    async () => {
      expect(await desk.run('restore', join(desk.directory, 'nothing'))).toMatchObject({ code: 4, stdout: '' });
      writeFileSync(join(backup, 'keys.json'), '{}');
      expect(await desk.run('restore', backup)).toMatchObject({ code: 4, stderr: expect.stringContaining('keys.json differs') });
      expect(await desk.json(['verify'])).toMatchObject({ sound: true });
    },
    patienceMs,
  );

  it(
    'do not load a file again if the restored installation may contain a part of it',
    async () => {
      const again = await desk.run('load', join(desk.directory, 'after.ndjson'), '--account', 'acme');
      expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining('restored from a backup') });
      rmSync(join(desk.directory, 'loads'), { recursive: true });
      expect(await desk.json(['load', join(desk.directory, 'after.ndjson'), '--account', 'acme'])).toMatchObject({ created: 30 });
    },
    patienceMs,
  );
});

describe('waymark verify', () => {
  const desk = useDesk();

  it(
    'compares the log with the checkpoints that a trusted key has signed',
    async () => {
      const server = await desk.serve();
      await desk.json(['load', rowsFile(desk.directory, 'places.ndjson', 5), '--account', 'acme']);
      await server.stop();
      const keys = join(desk.directory, 'notary', 'verifier-keys');
      const covered = { number: expect.any(Number), key: readFileSync(keys, 'utf8').trim(), published: false, younger: 0 };
      for (const args of [[], ['--key', keys]]) {
        expect(await desk.json(['verify', ...args])).toMatchObject({ sound: true, log: [], unchecked: [], checkpoint: covered });
      }
      const other = createNoteSigner('waymark/another', Buffer.alloc(32, 7)).verifierKey;
      const { code, stdout } = await desk.run('verify', '--key', other);
      expect([code, stdout]).toEqual([5, expect.stringMatching(/^log +Checkpoint \d+ is not valid\. No trusted key has signed it/)]);
      expect((await desk.run('verify', '--key', join(desk.directory, 'nothing'))).code).toBe(2);
    },
    patienceMs,
  );

  it(
    'names a rebuild as the mend of what differs from the log, unless the log itself was changed',
    async () => {
      const change = (file: string, table: string, column: string): void => {
        const database = new SQLite(join(desk.directory, file));
        database.exec(`UPDATE ${table} SET ${column} = replace(${column}, 'places', 'changed')`);
        database.close();
      };
      change(join('read-models', readFileSync(join(desk.directory, 'read-models', 'current'), 'utf8').trim()), 'pinpoint', 'text');
      expect(await desk.run('verify')).toMatchObject({ code: 5, stdout: expect.stringContaining('run `waymark rebuild`') });
      change('log.db', 'event', 'content');
      const { code, stdout } = await desk.run('verify');
      expect([code, stdout]).toEqual([
        5,
        expect.stringMatching(/the content does not match its commitment(.|\n)*DIFFERS from the log, up/),
      ]);
    },
    patienceMs,
  );
});

describe('waymark forget', () => {
  const desk = useDesk();

  it(
    'erases the history of an object, and keeps its current state and everything else, also after a rebuild',
    async () => {
      const server = await desk.serve();
      await desk.json(['load', rowsFile(desk.directory, 'places.ndjson', 5), '--account', 'acme']);
      const before = await contentOf(desk, server, 'acme', 'pinpoints');
      const id = before[2]?.id ?? 0;
      expect(await desk.run('forget', 'pinpoint', `${id}`, '--account', 'other')).toMatchObject({ code: 4, stdout: '' });
      expect(await desk.json(['forget', 'pinpoint', `${id}`, '--account', 'acme'])).toMatchObject({ events: 1, log: 'overwritten' });
      expect(await desk.json(['verify'])).toMatchObject({ sound: true, log: [], readModels: { equal: true } });
      await desk.json(['rebuild']);
      expect(await contentOf(desk, server, 'acme', 'pinpoints')).toEqual(before);
      expect(await desk.json(['verify'])).toMatchObject({ sound: true });
      await server.stop();
    },
    patienceMs,
  );
});

describe('waymark hold and release', () => {
  const desk = useDesk();

  it(
    'refuse an erasure until the hold is released',
    async () => {
      const server = await desk.serve();
      await desk.json(['load', rowsFile(desk.directory, 'places.ndjson', 1), '--account', 'acme']);
      const [pinpoint] = await contentOf(desk, server, 'acme', 'pinpoints');
      const [object, stream] = [['pinpoint', `${pinpoint?.id}`, '--account', 'acme'], `pinpoint-${pinpoint?.id}`];
      const why = ['--by', 'clerk-3', '--reason', 'legal-dispute', '--case', 'case-7'];
      expect(await desk.json(['hold', ...object, ...why])).toEqual({ stream, onHold: true });
      expect(await desk.run('hold', ...object)).toEqual({ code: 4, stdout: '', stderr: `waymark: ${stream} is on hold.\n` });
      expect(await desk.run('forget', ...object, ...why)).toMatchObject({ code: 4, stdout: '' });
      expect(await desk.run('release', ...object, ...why)).toEqual({ code: 0, stdout: `${stream} is no longer on hold.\n`, stderr: '' });
      expect((await desk.run('release', ...object)).code).toBe(4);
      expect(await desk.json(['forget', ...object, ...why])).toMatchObject({ events: 1 });
      expect(await desk.json(['verify'])).toMatchObject({ sound: true, log: [], readModels: { equal: true } });
      await server.stop();
    },
    patienceMs,
  );

  it(
    'refuse a wrong option with exit code 2, and an unknown object with 4',
    async () => {
      const object = ['pinpoint', '7', '--account', 'acme'];
      for (const wrong of [
        ['--by', 'someone@example.org'],
        ['--by', 'two words'],
        ['--case', 'a'.repeat(65)],
        ['--reason', 'because'],
      ]) {
        for (const command of ['forget', 'hold', 'release']) expect((await desk.run(command, ...object, ...wrong)).code).toBe(2);
      }
      for (const id of ['seven', '0x7', '7e0', '7.0', '0'])
        expect((await desk.run('forget', 'pinpoint', id, '--account', 'acme')).code).toBe(2);
      expect((await desk.run('hold', 'planet', '7', '--account', 'acme')).code).toBe(4);
      expect((await desk.run('hold', ...object)).code).toBe(4);
    },
    patienceMs,
  );
});

describe('waymark status and media prune', () => {
  const desk = useDesk();

  it(
    'report the state of an installation, as text and as JSON',
    async () => {
      await desk.json(['app', 'create', '--account', 'acme', '--name', 'CMS']);
      const { code, stdout, stderr } = await desk.run('status');
      expect([code, stderr]).toEqual([0, expect.stringContaining('No server runs.')]);
      expect(stdout).toMatch(/^ready +true$/m);
      expect(await desk.json(['status'])).toMatchObject({ ready: true, head: 3, dataDirectory: desk.directory });
      expect(await desk.json(['media', 'prune'])).toEqual({ removed: 0, kept: 0, unfinishedImports: [] });
    },
    patienceMs,
  );
});
