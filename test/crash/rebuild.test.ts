import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inFlight } from '../api/client.ts';
import { bodyOf, type Session, type Thing } from '../api/session.ts';
import { expectSound } from './installation.ts';
import { identify, pinpointBody } from './load/objects.ts';
import { newSession, type Server, sessionOn, statusOf, waitUntilListening, waitUntilReady } from './server.ts';
import { useCrashServers } from './test-servers.ts';

const things = 3_000;
const atOnce = 32;
const writers = 8;
const readers = 8;
const rebuilds = 5;
const membersAtOnce = 1_000;
const memberships = 60;

const ground = useCrashServers();

describe('a server that rebuilds its read models repeatedly while clients read and write', () => {
  it('shows every acknowledged write immediately and fails no request', async () => {
    const directory = ground.directory();
    const server = await ground.start(directory);
    const session = await newSession(server);
    const subjects = await Promise.all(Array.from({ length: writers }, (_, nth) => subjectNamed(session, `subject.${nth}`)));
    await inFlight(atOnce, [...Array(things).keys()], (nth) => session.create('/pinpoints', pinpointBody(`ballast.${nth}`, 1)));
    let going = true;
    const repeated = async (work: () => Promise<void>): Promise<void> => {
      while (going) await work();
    };
    const load = Promise.all([
      ...subjects.map((subject) => repeated(() => edit(session, subject))),
      ...Array.from({ length: readers }, (_, nth) => repeated(() => expectCurrent(session, subjects[nth % writers]))),
      repeated(() => createAndDeleteList(session)),
    ]);
    const rebuilt = rebuildOften(server).finally(() => {
      going = false;
    });
    await Promise.all([load, rebuilt]);
    for (const subject of subjects) expect(subject.version).toBeGreaterThan(rebuilds);
    await expectSound(server);
    expect(readdirSync(join(directory, 'read-models')).filter((name) => name.endsWith('.db'))).toHaveLength(1);
    await server.stop();
  });
});

const rebuildOften = async ({ operator }: Server): Promise<void> => {
  for (let time = 0; time < rebuilds; time += 1) {
    const { events } = bodyOf<{ events: number }>(await operator('POST', '/rebuild'), 200);
    expect(events).toBeGreaterThan(things);
  }
};

/** A pinpoint and its last acknowledged version. */
type Subject = { readonly id: number; readonly key: string; version: number };

const subjectNamed = async (session: Session, key: string): Promise<Subject> => {
  const { id } = await session.create('/pinpoints', pinpointBody(key, 1));
  return { id, key, version: 1 };
};

const edit = async (session: Session, subject: Subject): Promise<void> => {
  const answer = await session.put(`/pinpoints/${subject.id}`, pinpointBody(subject.key, subject.version + 1));
  bodyOf<Thing>(answer, 200);
  expect(answer.headers['x-read-lag']).toBeUndefined();
  subject.version += 1;
};

/** Reads one pinpoint, and the first page, which contains all subjects. */
const expectCurrent = async (session: Session, subject: Subject | undefined): Promise<void> => {
  if (subject === undefined) return;
  const { id, version } = subject;
  expect(identify('pinpoints', await session.read(`/pinpoints/${id}`)).version).toBeGreaterThanOrEqual(version);
  const beforePage = subject.version;
  const page = await session.page('/pinpoints?limit=500');
  expect(page.results).toHaveLength(500);
  const shown = page.results.filter((thing) => thing.id === id).map((thing) => identify('pinpoints', thing).version);
  expect(shown).toHaveLength(1);
  expect(shown[0]).toBeGreaterThanOrEqual(beforePage);
};

const createAndDeleteList = async (session: Session): Promise<void> => {
  const { id } = await session.create('/lists', { name: 'here' });
  expect((await session.get(`/lists/${id}`)).status).toBe(200);
  expect((await session.page('/lists')).results.map((list) => list.id)).toEqual([id]);
  expect((await session.delete(`/lists/${id}`)).status).toBe(204);
  expect((await session.get(`/lists/${id}`)).status).toBe(404);
  expect((await session.page('/lists')).results).toEqual([]);
};

describe('a server that rebuilds its read models at the start', () => {
  it('answers reads with 503 until the rebuild is complete, while writes are executed', async () => {
    const directory = ground.directory();
    const server = await ground.start(directory);
    const session = await newSession(server);
    const ids = await inFlight(atOnce, [...Array(membersAtOnce).keys()], async (nth) => {
      const { id } = await session.create('/pinpoints', pinpointBody(`member.${nth}`, 1));
      return { id };
    });
    const list = `/lists/${(await session.create('/lists', { name: 'all' })).id}`;
    for (let time = 0; time < memberships; time += 1) {
      bodyOf(await session.post(`${list}/pinpoints`, ids), 200);
      bodyOf(await session.delete(`${list}/pinpoints`, ids), 200);
    }
    await server.stop();
    rmSync(join(directory, 'read-models'), { recursive: true });

    const launched = ground.launch(directory);
    const early = await waitUntilListening(launched);
    const fresh = sessionOn(early, session.application, session.token);
    const read = await fresh.get(list);
    expect([read.status, read.headers['retry-after']]).toEqual([503, '1']);
    expect((await fresh.get('/pinpoints')).status).toBe(503);
    expect(await statusOf(`${early.operatorUrl}/readyz`)).toBe(503);
    bodyOf(await fresh.put(list, { name: 'early' }), 200);
    const complete = await waitUntilReady(launched);
    expect((await fresh.read(list))['name']).toBe('early');
    await expectSound(complete);
    await complete.stop();
  });
});
