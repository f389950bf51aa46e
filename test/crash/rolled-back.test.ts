import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { aCategory, aPinpoint } from '../api/samples.ts';
import { bodyOf, type Session } from '../api/session.ts';
import { contentOf, filesIn } from './content.ts';
import { type AtRest, atRest, backUp, expectSound, stateOf } from './installation.ts';
import { restore } from './restore/restore.ts';
import { createSampleContent } from './sample-content.ts';
import { logInAgain, newSession, sessionOn } from './server.ts';
import { useCrashServers } from './test-servers.ts';

const fileMs = 300_000;

jest.setTimeout(fileMs);

const ground = useCrashServers();
const lasting = useCrashServers('file');
let here: AtRest;
let elsewhere: AtRest;

beforeAll(async () => {
  here = await atRest(lasting, 'here');
  elsewhere = await atRest(lasting, 'elsewhere');
}, fileMs);

describe('a log that was rolled back to an older copy by hand', () => {
  it('is detected at each start: it gets a new incarnation, and nothing issued meanwhile is reused', async () => {
    const { session, content } = here;
    const directory = ground.copyOf(here.directory);
    const path = `/pinpoints/${content['pinpoints']?.[0]?.id}`;
    const incarnations = new Set<string>();
    const tags = new Set<unknown>();
    const given: number[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const newer = await ground.start(directory);
      const before = await logInAgain(newer, session);
      given.push((await before.create('/lists', { name: 'newer' })).id);
      tags.add((await before.get(path)).headers.etag);
      incarnations.add((await stateOf(newer)).incarnation);
      await newer.stop();
      cpSync(join(here.directory, 'log.db'), join(directory, 'log.db'));

      const rolledBack = await ground.start(directory);
      expect((await sessionOn(rolledBack, session.application, before.token).get('/pinpoints')).status).toBe(401);
      const fresh = await logInAgain(rolledBack, session);
      expect(await contentOf(fresh)).toEqual(content);
      given.push((await fresh.create('/lists', { name: 'newest' })).id);
      tags.add((await fresh.get(path)).headers.etag);
      incarnations.add((await stateOf(rolledBack)).incarnation);
      await expectSound(rolledBack);
      await rolledBack.stop();
      expect({ given, repeats: given.length - new Set(given).size }).toEqual({ given, repeats: 0 });
      expect([incarnations.size, tags.size]).toEqual([time + 1, time + 1]);
    }
  });
});

describe('a rolled-back log that the read models cannot reveal', () => {
  it.each<readonly [title: string, spoil: (readModels: string) => void]>([
    ['is missing', (at) => rmSync(at, { recursive: true })],
    ['cannot be read', (at) => writeFileSync(fileIn(at), 'x'.repeat(100_000))],
    ['is of another projection version', (at) => setVersion(fileIn(at), 1)],
    ['was built from the older log, too', (at) => replace(at, join(here.directory, 'read-models'))],
  ])('is detected when the read-model database %s', async (_, damage) => {
    const { directory, session, given, tag, path } = await newerInstallation();
    cpSync(join(here.directory, 'log.db'), join(directory, 'log.db'));
    damage(join(directory, 'read-models'));
    await expectRenewed(directory, session, { given, tag, path });
  });

  it('is detected when it is longer than the original, has the same incarnation, and has different events', async () => {
    const { directory, session, given, tag, path } = await newerInstallation();
    const other = ground.copyOf(here.directory);
    const server = await ground.start(other);
    const elsewhereSession = await logInAgain(server, session);
    for (let time = 0; time < 10; time += 1) await elsewhereSession.create('/categories', await aCategory({ name: `other ${time}` }));
    await server.stop();
    cpSync(join(other, 'log.db'), join(directory, 'log.db'));
    rmSync(join(directory, 'read-models'), { recursive: true });
    await expectRenewed(directory, session, { given, tag, path });
  });

  it('is detected when the log is missing', async () => {
    const { directory, given } = await newerInstallation();
    rmSync(join(directory, 'log.db'));
    rmSync(join(directory, 'read-models'), { recursive: true });
    const server = await ground.start(directory);
    const fresh = await newSession(server);
    expect((await fresh.create('/lists', { name: 'new' })).id).toBeGreaterThan(Math.max(...given));
    await server.stop();
  });

  it('is not reported when nothing was rolled back', async () => {
    const { directory, session } = await newerInstallation();
    rmSync(join(directory, 'read-models'), { recursive: true });
    const server = await ground.start(directory);
    expect((await sessionOn(server, session.application, session.token).get('/pinpoints')).status).toBe(200);
    await server.stop();
  });

  it('gets ids above those in log-facts.json when it is restored, which removes that file', async () => {
    const { directory, session, given } = await newerInstallation();
    const backup = ground.directory();
    const original = await ground.start(ground.copyOf(here.directory));
    await backUp(original, backup);
    await original.stop();
    expect(Object.keys(filesIn(backup)).filter((name) => name.includes('facts'))).toEqual([]);
    rmSync(join(directory, 'log.db'));
    rmSync(join(directory, 'read-models'), { recursive: true });
    writeFileSync(join(directory, 'log-facts.json'), withIds(join(directory, 'log-facts.json'), 7_000_000_000_000));
    await restore(backup, directory);
    expect(existsSync(join(directory, 'log-facts.json'))).toBe(false);
    const server = await ground.start(directory);
    const { id } = await (await logInAgain(server, session)).create('/lists', { name: 'restored' });
    expect(id).toBeGreaterThan(7_000_000_000_000);
    expect(given).not.toContain(id);
    await server.stop();
  });
});

/** Creates a copy of the installation that has issued more ids and entity tags since.
 * @returns the copy and what it issued */
const newerInstallation = async () => {
  const directory = ground.copyOf(here.directory);
  const path = `/pinpoints/${here.content['pinpoints']?.[0]?.id}`;
  const server = await ground.start(directory);
  const session = await logInAgain(server, here.session);
  const given: number[] = [];
  for (let time = 0; time < 3; time += 1) given.push((await session.create('/lists', { name: `newer ${time}` })).id);
  bodyOf(await session.put(path, aPinpoint({ name: 'newer' })), 200);
  const tag = String((await session.get(path)).headers.etag);
  await server.stop();
  return { directory, session, given, tag, path };
};

type Issued = { readonly given: readonly number[]; readonly tag: string; readonly path: string };

/** Checks that no id is reused, that no earlier token is valid, and that no earlier entity tag matches. */
const expectRenewed = async (directory: string, session: Session, { given, tag, path }: Issued): Promise<void> => {
  const server = await ground.start(directory);
  expect((await sessionOn(server, session.application, session.token).get('/pinpoints')).status).toBe(401);
  const fresh = await logInAgain(server, session);
  expect((await fresh.get(path, { 'If-None-Match': tag })).status).toBe(200);
  expect((await fresh.put(path, aPinpoint({ name: 'stale' }), { 'If-Match': tag })).status).toBe(412);
  bodyOf(await fresh.put(path, aPinpoint({ name: 'newest' })), 200);
  expect((await fresh.get(path)).headers.etag).not.toBe(tag);
  for (let time = 0; time < 3; time += 1) expect(given).not.toContain((await fresh.create('/lists', { name: `newest ${time}` })).id);
  await expectSound(server);
  await server.stop();
};

const setVersion = (file: string, version: number): void => {
  const db = new SQLite(file);
  db.pragma(`user_version = ${version}`);
  db.close();
};

const withIds = (file: string, id: number): string => {
  const facts = JSON.parse(readFileSync(file, 'utf8'));
  return JSON.stringify({ ...facts, ids: { pinpoint: id, list: id, category: id, happening: id } });
};

describe('a read-model database that does not match the log', () => {
  it.each<readonly [title: string, spoil: (readModels: string) => void]>([
    ['it was built from another log', (at) => replace(at, join(elsewhere.directory, 'read-models'))],
    ['it was deleted', (at) => rmSync(at, { recursive: true })],
    ['its file was deleted', (at) => rmSync(fileIn(at))],
    ['its pointer was deleted', (at) => rmSync(join(at, 'current'))],
    ['its pointer is garbage', (at) => writeFileSync(join(at, 'current'), '../log.db')],
    ['its file is garbage', (at) => writeFileSync(fileIn(at), 'x'.repeat(100_000))],
    ['its file is empty', (at) => truncateSync(fileIn(at))],
    ['its file was cut off', (at) => truncateSync(fileIn(at), 20_000)],
  ])('is rebuilt from the log when %s', async (_, damage) => {
    const { session, content } = here;
    const directory = ground.copyOf(here.directory);
    damage(join(directory, 'read-models'));
    const server = await ground.start(directory);
    const kept = await logInAgain(server, session);
    expect(await contentOf(kept)).toEqual(content);
    await createSampleContent(kept, 'later');
    await expectSound(server);
    await server.stop();
    expect(readdirSync(join(directory, 'read-models')).filter((name) => name.endsWith('.db'))).toHaveLength(1);
  });
});

const replace = (directory: string, by: string): void => {
  rmSync(directory, { recursive: true });
  cpSync(by, directory, { recursive: true });
};

const fileIn = (readModels: string): string => join(readModels, readFileSync(join(readModels, 'current'), 'utf8').trim());
