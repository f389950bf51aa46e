import { bodyOf, type Session, type Thing } from '../api/session.ts';
import { contentOf } from './content.ts';
import { backUp, expectSound, stateOf } from './installation.ts';
import { restore } from './restore/restore.ts';
import { createSampleContent } from './sample-content.ts';
import { logInAgain, newSession, type Server, sessionOn } from './server.ts';
import { useCrashServers } from './test-servers.ts';
import { until } from './until.ts';

const idsSkipped = 1_000_000_000;
const writersAtOnce = 8;
const writesBefore = 200;

const ground = useCrashServers();

describe('a backup that is made during writes', () => {
  it('contains every write that was acknowledged before it and no write that was begun after it', async () => {
    const server = await ground.start(ground.directory());
    const session = await newSession(server);
    const writing = startWriting(session);
    await until(() => writing.acknowledged.length >= writesBefore);
    const before = [...writing.acknowledged];
    const backup = ground.directory();
    await backUp(server, backup);
    const begun = writing.begun();
    await writing.stop();
    await server.stop();

    const directory = ground.directory();
    await restore(backup, directory);
    const restored = await ground.start(directory);
    const content = await contentOf(await logInAgain(restored, session));
    const has = content['pinpoints']?.map(({ altitude }) => Number(altitude)) ?? [];
    expect(before.filter((nth) => !has.includes(nth))).toEqual([]);
    expect(has.filter((nth) => nth > begun)).toEqual([]);
    await expectSound(restored);
    await restored.stop();
  });
});

/** Starts writers that create pinpoints, numbered by their altitudes. */
const startWriting = (session: Session) => {
  const acknowledged: number[] = [];
  let begun = 0;
  let going = true;
  const write = async (): Promise<void> => {
    while (going) {
      begun += 1;
      const altitude = begun;
      await session.create('/pinpoints', { name: 'one of many', latitude: 1, longitude: 2, altitude });
      acknowledged.push(altitude);
    }
  };
  const writers = Promise.all(Array.from({ length: writersAtOnce }, write));
  const stop = async (): Promise<void> => {
    going = false;
    await writers;
  };
  return { acknowledged, begun: () => begun, stop };
};

describe('a backup that is restored over a newer installation', () => {
  it('replaces its content: nothing issued since is valid, and no id is reused', async () => {
    const directory = ground.directory();
    const backup = ground.directory();
    const server = await ground.start(directory);
    const session = await newSession(server);
    const first = await createSampleContent(session, 'first');
    const content = await contentOf(session);
    await backUp(server, backup);
    const second = await createSampleContent(session, 'second');
    const { media_file: _, ...fields } = { ...first.pinpoint, media_file: undefined };
    const changed = await session.put(`/pinpoints/${first.pinpoint.id}`, { ...fields, name: 'changed' });
    const page = await session.page('/pinpoints?limit=1');
    await server.stop();
    expect((await restore(backup, directory)).keptIn).toContain(directory);

    const restored = await ground.start(directory);
    expect((await sessionOn(restored, session.application, session.token).get('/pinpoints')).status).toBe(401);
    const fresh = await logInAgain(restored, session);
    expect(await contentOf(fresh)).toEqual(content);
    expect((await fresh.get(String(page.next))).status).toBe(404);
    await expectStale(fresh, `/pinpoints/${first.pinpoint.id}`, String(changed.headers.etag), fields);
    const third = await createSampleContent(fresh, 'third');
    for (const kind of ['pinpoint', 'list', 'event', 'category'] as const) {
      expect(third[kind].id).toBeGreaterThanOrEqual(idsSkipped);
      expect(third[kind].id).not.toBe(second[kind].id);
    }
    const files = [first.pinpoint['media_url'], first.category['image_url'], third.pinpoint['media_url']];
    expect(await Promise.all(files.map((url) => statusOfFile(restored, url)))).toEqual([200, 200, 200]);
    await expectSound(restored);
    await restored.stop();
  });

  it('answers a repeated Idempotency-Key as before, if the backup contains its request', async () => {
    const directory = ground.directory();
    const backup = ground.directory();
    const server = await ground.start(directory);
    const session = await newSession(server);
    const post = (to: Session, name: string) => to.post('/lists', { name }, { 'Idempotency-Key': name });
    const known = await post(session, 'known');
    await backUp(server, backup);
    const forgotten = bodyOf<Thing>(await post(session, 'forgotten'), 201);
    await server.stop();
    await restore(backup, directory);

    const restored = await ground.start(directory);
    const fresh = await logInAgain(restored, session);
    expect((await post(fresh, 'known')).text).toBe(known.text);
    expect(bodyOf<Thing>(await post(fresh, 'forgotten'), 201).id).toBeGreaterThan(forgotten.id);
    expect((await fresh.page('/lists')).results.map(({ name }) => name)).toEqual(['known', 'forgotten']);
    await restored.stop();
  });

  it('assigns no id twice when it is restored a second time', async () => {
    const directory = ground.directory();
    const backup = ground.directory();
    const server = await ground.start(directory);
    const session = await newSession(server);
    await createSampleContent(session, 'first');
    await backUp(server, backup);
    const incarnations = new Set([(await stateOf(server)).incarnation]);
    await server.stop();
    const given = new Set<number>();
    for (let time = 1; time <= 2; time += 1) {
      await restore(backup, directory);
      const restored = await ground.start(directory);
      given.add((await (await logInAgain(restored, session)).create('/lists', { name: 'later' })).id);
      incarnations.add((await stateOf(restored)).incarnation);
      await restored.stop();
    }
    expect(incarnations.size).toBe(3);
    expect(given.size).toBe(2);
  });
});

/** Checks that an entity tag of a state that no longer exists does not match. */
const expectStale = async (session: Session, path: string, tag: string, fields: object): Promise<void> => {
  expect((await session.get(path, { 'If-None-Match': tag })).status).toBe(200);
  expect((await session.put(path, fields, { 'If-Match': tag })).status).toBe(412);
  expect((await session.delete(path, undefined, { 'If-Match': tag })).status).toBe(412);
};

const statusOfFile = async ({ client }: Server, url: unknown): Promise<number> =>
  (await client.send({ method: 'GET', path: new URL(String(url)).pathname })).status;
