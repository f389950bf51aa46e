import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { aPinpoint } from '../api/samples.ts';
import { bodyOf, type Session, tokenCall } from '../api/session.ts';
import { expectSound } from './installation.ts';
import { auditorOn } from './session-of-auditor.ts';
import { useCrashServers } from './test-servers.ts';
import { until } from './until.ts';

const ground = useCrashServers();
const objects = 300;
const testMs = 300_000;

/** Overwrites a file from a place on; its length stays. */
const overwrite = async (file: string, from: number): Promise<void> => {
  const handle = await open(file, 'r+');
  const { size } = await handle.stat();
  await handle.write(Buffer.alloc(size - from, 0xa5), 0, size - from, from);
  await handle.close();
};

/** Makes an installation with content, and leaves it. */
const prepared = async (directory: string): Promise<Session> => {
  const server = await ground.start(directory);
  const me = await auditorOn(server);
  for (let nth = 0; nth < objects; nth += 1) await me.create('/pinpoints', aPinpoint());
  // The history is complete before the server stops.
  bodyOf(await me.get('/audit/v1/activity'), 200);
  await server.stop();
  return me;
};

const header = 0;
/** The pages after the first two: the file can be opened. */
const contents = 2 * 8_192;

it.each([
  ['read-models/1.db', header],
  ['read-models/1.db', contents],
  ['history.db', header],
  ['history.db', contents],
  ['proofs.db', header],
  ['tokens.db', header],
  ['tokens.db', 4_096],
])(
  'A server builds %s again if it is damaged from byte %d on, and loses nothing',
  async (name, from) => {
    const directory = ground.directory();
    const { application } = await prepared(directory);
    await overwrite(join(directory, name), from);
    // Damage of the contents may be found by any thread.
    const server = await ground.start(directory, { settings: { WAYMARK_HTTP_THREADS: from === header ? '0' : '2' } });
    const { client } = server;
    const { access_token: token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    for (const path of ['/v3.0/pinpoints?limit=500', '/audit/v1/activity?resource=pinpoints&limit=500']) {
      let found = 0;
      await until(async () => {
        const answer = await client.send({ method: 'GET', path, headers: { Authorization: `Bearer ${token}` } });
        if (answer.status === 503) return false;
        found = bodyOf<{ results: unknown[] }>(answer, 200).results.length;
        return true;
      });
      expect(found).toBe(objects);
    }
    // A repair is an operation: another one is refused until it ends.
    await until(async () => (await server.operator('POST', '/verify')).status !== 409);
    await expectSound(server);
    await server.stop();
  },
  testMs,
);

it.each([header, contents])(
  'A server does not start with a log that is damaged from byte %d on, and names the file',
  async (from) => {
    const directory = ground.directory();
    await prepared(directory);
    await overwrite(join(directory, 'log.db'), from);
    const launched = ground.launch(directory);
    expect(await launched.exited).toEqual({ code: 3, signal: null });
    expect(launched.printed()).toContain(`${join(directory, 'log.db')} is damaged: restore a backup.`);
  },
  testMs,
);

it(
  'A start says which events are missing if the newest part of the log is damaged, which a killed server has left',
  async () => {
    const directory = ground.directory();
    const server = await ground.start(directory);
    const me = await auditorOn(server);
    for (let nth = 0; nth < objects; nth += 1) await me.create('/pinpoints', aPinpoint());
    await server.kill();
    const wal = join(directory, 'log.db-wal');
    await overwrite(wal, Math.floor((await stat(wal)).size / 2));
    const next = await ground.start(directory);
    const [, endsAt, knownUpTo] = /"logEndsAt":(\d+),"knownUpTo":(\d+)/.exec(next.printed()) ?? [];
    expect(Number(endsAt)).toBeLessThan(Number(knownUpTo));
    await expectSound(next);
    await next.stop();
  },
  testMs,
);
