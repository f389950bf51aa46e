import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../api/client.ts';
import { aFile } from '../api/pictures.ts';
import { aPinpoint, members } from '../api/samples.ts';
import { bodyOf, type Session, type Thing } from '../api/session.ts';
import { expectSound, stateOf } from './installation.ts';
import { walk } from './load/objects.ts';
import { seededRun } from './random.ts';
import { newSession, type Server } from './server.ts';
import { useCrashServers } from './test-servers.ts';
import { until } from './until.ts';

const prlimit = '/usr/bin/prlimit';
const limited = existsSync(prlimit) ? describe : describe.skip;
const writersAtOnce = 8;
const rounds = 6;
const readWaitMs = 100;
const listMembers = 500;

const ground = useCrashServers();

/** Limits the size of every file that the server writes from now on to `bytes`. */
const limitFiles = ({ pid }: Server, bytes: number | 'unlimited'): void => {
  execFileSync(prlimit, ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
};

limited(`a server without disk space for the log (needs ${prlimit})`, () => {
  it('answers every write with 503 and Retry-After and continues to answer reads, until there is space again', async () => {
    const server = await ground.start(ground.directory());
    const session = await newSession(server);
    const place = await session.create('/pinpoints', aPinpoint({ name: 'before' }));
    const list = await session.create('/lists', { name: 'before' });
    const keyed = () => session.post('/pinpoints', aPinpoint({ name: 'keyed' }), { 'Idempotency-Key': 'once' });
    limitFiles(server, 0);

    const writes = [
      await session.post('/pinpoints', aPinpoint()),
      await session.post('/pinpoints', aPinpoint({ media_file: await aFile() })),
      await keyed(),
      await session.put(`/pinpoints/${place.id}`, aPinpoint({ name: 'after' })),
      await session.post(`/lists/${list.id}/pinpoints`, members(place.id)),
      await session.delete(`/lists/${list.id}/pinpoints`, members(place.id)),
      await session.delete(`/pinpoints/${place.id}`),
    ];
    expect(writes.map(inShort)).toEqual([503, 503, 503, 503, 503, 200, 503].map((status) => ({ status, retry: status === 503 })));
    expect(await session.read(`/pinpoints/${place.id}`)).toEqual(place);
    expect((await session.page('/pinpoints')).results).toEqual([place]);
    expect((await session.page(`/pinpoints?list=${list.id}`)).results).toEqual([]);

    limitFiles(server, 'unlimited');
    await until(async () => (await keyed()).status === 201);
    expect((await keyed()).status).toBe(201);
    expect((await session.page('/pinpoints')).results.map(({ name }) => name)).toEqual(['before', 'keyed']);
    await expectSound(server);
    await server.stop();
  });

  it('loses no acknowledged write and applies no refused write, wherever the disk fills up', async () => {
    await seededRun(async (random) => {
      const directory = ground.directory();
      const server = await ground.start(directory);
      const session = await newSession(server);
      const writing = startWriting(session);
      for (let round = 0; round < rounds; round += 1) {
        await pause(random.below(100));
        limitFiles(server, sizeOf(join(directory, 'log.db-wal')) + random.below(20_000));
        const refused = writing.refused.size;
        await until(async () => writing.refused.size > refused + writersAtOnce);
        limitFiles(server, 'unlimited');
        const acknowledged = writing.acknowledged.size;
        await until(async () => writing.acknowledged.size > acknowledged + writersAtOnce);
      }
      await writing.stop();
      expect(writing.other).toEqual([]);
      await expectWritten(session, writing);
      await expectSound(server);
      await server.kill();

      const again = await ground.start(directory);
      await expectWritten(await newSession(again), writing);
      await expectSound(again);
      await again.stop();
    });
  });
});

const inShort = ({ status, headers }: Answer) => ({ status, retry: headers['retry-after'] !== undefined });

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

/** Starts writers that create pinpoints, numbered by their altitudes, and edit each one once. */
const startWriting = (session: Session) => {
  const acknowledged = new Set<string>();
  const refused = new Set<string>();
  const other: string[] = [];
  let going = true;
  let begun = 0;
  const note = (name: string, answer: Answer): boolean => {
    if (answer.status < 300) acknowledged.add(name);
    else if (answer.status === 503 && !answer.text.includes('not known')) refused.add(name);
    else other.push(`${name}: ${answer.status} ${answer.text}`);
    return answer.status < 300;
  };
  const write = async (): Promise<void> => {
    while (going) {
      begun += 1;
      const altitude = begun;
      const created = await session.post('/pinpoints', aPinpoint({ name: 'created', altitude }));
      if (!note(`${altitude} created`, created)) continue;
      const { id } = bodyOf<Thing>(created, 201);
      note(`${altitude} edited`, await session.put(`/pinpoints/${id}`, aPinpoint({ name: 'edited', altitude })));
    }
  };
  const writers = Promise.all(Array.from({ length: writersAtOnce }, write));
  const stop = async (): Promise<void> => {
    going = false;
    await writers;
  };
  return { acknowledged, refused, other, stop };
};

const expectWritten = async (session: Session, { acknowledged, refused }: ReturnType<typeof startWriting>): Promise<void> => {
  const has = (await walk(session, '/pinpoints?limit=500')).map(({ altitude, name }) => `${altitude} ${name}`);
  const expected = [...acknowledged].filter((name) => name.endsWith('edited') || !acknowledged.has(name.replace('created', 'edited')));
  expect(has.sort()).toEqual(expected.sort());
  expect(has.filter((name) => refused.has(name))).toEqual([]);
};

limited(`a server without disk space for the read models (needs ${prlimit})`, () => {
  it('delays what readers see, reports the delay, and executes every write', async () => {
    const directory = ground.directory();
    const server = await ground.start(directory, { settings: { WAYMARK_READ_WAIT_MS: String(readWaitMs) } });
    const session = await newSession(server);
    const ids: number[] = [];
    for (let nth = 0; nth < listMembers; nth += 1) ids.push((await session.create('/pinpoints', aPinpoint())).id);
    const list = await session.create('/lists', { name: 'all' });
    // The log stores one event, the read models store one row for each member. Their file is now the longer one.
    bodyOf(await session.post(`/lists/${list.id}/pinpoints`, members(...ids)), 200);
    bodyOf(await session.delete(`/lists/${list.id}/pinpoints`, members(...ids)), 200);
    const readModels = readModelsWal(directory);
    expect(sizeOf(readModels)).toBeGreaterThan(sizeOf(join(directory, 'log.db-wal')) + 100_000);
    limitFiles(server, sizeOf(readModels));

    const [first = 0] = ids;
    const created = await session.post('/lists', { name: 'behind' });
    const edited = await session.put(`/pinpoints/${first}`, aPinpoint({ name: 'behind' }));
    const deleted = await session.delete(`/lists/${list.id}`);
    expect([created, edited, deleted].map(({ status, headers }) => [status, headers['x-read-lag']])).toEqual([
      [201, 'true'],
      [200, 'true'],
      [204, 'true'],
    ]);
    expect((await session.read(`/pinpoints/${first}`))['name']).toBe(aPinpoint()['name']);
    expect((await session.page('/lists')).results.map(({ name }) => name)).toEqual(['all']);
    const { head, readPosition } = await stateOf(server);
    expect(readPosition).toBe(head - 3);

    limitFiles(server, 'unlimited');
    await until(async () => (await stateOf(server)).readPosition >= head);
    expect((await session.page('/lists')).results.map(({ name }) => name)).toEqual(['behind']);
    expect((await session.read(`/pinpoints/${first}`))['name']).toBe('behind');
    expect((await session.post('/lists', { name: 'in time' })).headers['x-read-lag']).toBeUndefined();
    await expectSound(server);
    await server.stop();
  });
});

const readModelsWal = (directory: string): string => {
  const [name = ''] = readdirSync(join(directory, 'read-models')).filter((file) => file.endsWith('-wal'));
  return join(directory, 'read-models', name);
};
