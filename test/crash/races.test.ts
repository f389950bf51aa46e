import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, inFlight } from '../api/client.ts';
import { aList, anEvent, aPinpoint, members } from '../api/samples.ts';
import { bodyOf, idsOf, type Session, type Thing } from '../api/session.ts';
import { expectSound } from './installation.ts';
import { type Random, seededRun } from './random.ts';
import { newSession, type Server } from './server.ts';
import { useCrashServers } from './test-servers.ts';

const rounds = 120;
const roundsAtOnce = 12;
const startWithinMs = 300_000;
const jitterMs = 4;
const contenders = 6;
const increments = 20;

const ground = useCrashServers('file');
let server: Server;
let session: Session;

beforeAll(async () => {
  server = await ground.start(ground.directory());
  session = await newSession(server);
}, startWithinMs);

const repeatedly = (work: (random: Random) => Promise<void>): Promise<void> =>
  seededRun(async (random) => {
    await inFlight(roundsAtOnce, [...Array(rounds).keys()], () => work(random));
  });

/** Runs all functions at the same time, started in random order. */
const race = (random: Random, works: readonly (() => Promise<unknown>)[]): Promise<readonly unknown[]> =>
  Promise.all(
    works.map(async (work) => {
      await pause(random.below(jitterMs));
      return work();
    }),
  );

describe('a pinpoint that is deleted while other requests refer to it', () => {
  it('is not visible to any read that begins after its deletion was acknowledged, and neither are its events and list entries', async () => {
    await repeatedly(async (random) => {
      const { id } = await session.create('/pinpoints', aPinpoint());
      const elsewhere = await session.create('/pinpoints', aPinpoint());
      const list = await session.create('/lists', aList());
      const event = await session.create('/events', anEvent(id));
      const moving = await session.create('/events', anEvent(elsewhere.id));
      const events = [event.id, moving.id];
      const note = (thing: Thing | undefined): void => void (thing && events.push(thing.id));
      await race(random, [
        () => deleteAndExpectGone(id, list.id, events),
        () => session.post(`/lists/${list.id}/pinpoints`, members(id, elsewhere.id)),
        () =>
          session.delete(`/lists/${list.id}/pinpoints`, members(id)).then(() => session.post(`/lists/${list.id}/pinpoints`, members(id))),
        async () => note(await created(anEvent(id))),
        async () => note(await created(anEvent(id))),
        () => session.put(`/events/${moving.id}`, anEvent(id)),
        () => session.put(`/events/${event.id}`, anEvent(id, { name: 'Edited' })),
        () => session.put(`/pinpoints/${id}`, aPinpoint({ name: 'Edited' })),
      ]);
      await expectGone(id, list.id, events);
    });
  });

  it('does not delete an event that was moved to another pinpoint before', async () => {
    await repeatedly(async (random) => {
      const { id } = await session.create('/pinpoints', aPinpoint());
      const elsewhere = await session.create('/pinpoints', aPinpoint());
      const event = await session.create('/events', anEvent(id));
      const [moved] = await race(random, [
        async () => (await session.put(`/events/${event.id}`, anEvent(elsewhere.id))).status,
        () => session.delete(`/pinpoints/${id}`),
      ]);
      expect([200, 404]).toContain(moved);
      expect((await session.get(`/events/${event.id}`)).status).toBe(moved);
      expect(idsOf(await session.page(`/events?pinpoint=${elsewhere.id}`))).toEqual(moved === 200 ? [event.id] : []);
    });
  });
});

const created = async (body: object): Promise<Thing | undefined> => {
  const answer = await session.post('/events', body);
  return answer.status === 201 ? bodyOf<Thing>(answer, 201) : undefined;
};

const deleteAndExpectGone = async (pinpoint: number, list: number, events: readonly number[]): Promise<void> => {
  expect((await session.delete(`/pinpoints/${pinpoint}`)).status).toBe(204);
  // The other requests are still in progress.
  for (let time = 0; time < 3; time += 1) await expectGone(pinpoint, list, events);
  expect((await session.post('/events', anEvent(pinpoint))).status).toBe(400);
  expect((await session.put(`/pinpoints/${pinpoint}`, aPinpoint())).status).toBe(404);
  const added = await session.post(`/lists/${list}/pinpoints`, members(pinpoint));
  expect(bodyOf(added, 200)).toEqual({ errors: [{ id: pinpoint, code: 'not_found', detail: 'Not found.' }], total: 0 });
};

const expectGone = async (pinpoint: number, list: number, events: readonly number[]): Promise<void> => {
  const onIt = [...events];
  const pages = [`/pinpoints?list=${list}`, `/events?pinpoint=${pinpoint}`, '/events?limit=500'];
  const objects = [`/pinpoints/${pinpoint}`, ...onIt.map((event) => `/events/${event}`)];
  const [inList, ofPinpoint, all] = await Promise.all(pages.map((path) => session.page(path)));
  expect(inList && idsOf(inList)).not.toContain(pinpoint);
  expect(ofPinpoint?.results).toEqual([]);
  expect(all?.results.filter((event) => event['pinpoint'] === pinpoint)).toEqual([]);
  const found = await Promise.all(objects.map(async (path) => ({ path, answer: await session.get(path) })));
  for (const { path, answer } of found) {
    // An event that another request moves to this pinpoint may still be at its old one.
    if (answer.status === 200) expect({ path, pinpoint: JSON.parse(answer.text).pinpoint }).not.toEqual({ path, pinpoint });
    if (path.startsWith('/pinpoints')) expect(answer.status).toBe(404);
  }
};

const times = <Result>(count: number, work: (nth: number) => Result): Result[] => Array.from({ length: count }, (_, nth) => work(nth));

const tagOf = async (path: string): Promise<string> => String((await session.get(path)).headers.etag);

describe('writers of one object', () => {
  it('succeed only once, among all that send the same entity tag', async () => {
    await repeatedly(async (random) => {
      const { id } = await session.create('/pinpoints', aPinpoint());
      const path = `/pinpoints/${id}`;
      const tag = await tagOf(path);
      const deleter = random.below(contenders * 2);
      const change = (nth: number): Promise<Answer> =>
        nth === deleter
          ? session.delete(path, undefined, { 'If-Match': tag })
          : session.put(path, aPinpoint({ name: `writer ${nth}` }), { 'If-Match': tag });
      const found = (await Promise.all(times(contenders, change))).map(({ status }) => status);
      const won = found.filter((status) => status < 300);
      expect({ found, won: won.length }).toEqual({ found, won: 1 });
      const lost = won[0] === 204 ? [404, 412] : [412];
      for (const status of found.filter((each) => each >= 300)) expect(lost).toContain(status);
    });
  });

  it('lose no update when each retries until its entity tag is current', async () => {
    const { id } = await session.create('/lists', { name: '0' });
    const path = `/lists/${id}`;
    const increment = async (): Promise<void> => {
      for (;;) {
        const read = await session.get(path);
        const next = String(Number(bodyOf<Thing>(read, 200)['name']) + 1);
        const { status } = await session.put(path, { name: next }, { 'If-Match': String(read.headers.etag) });
        if (status === 200) return;
        expect(status).toBe(412);
      }
    };
    const writer = async (): Promise<void> => {
      for (let time = 0; time < increments; time += 1) await increment();
    };
    await Promise.all(times(contenders, writer));
    expect((await session.read(path))['name']).toBe(String(contenders * increments));
  });

  it('do not conflict when they write different fields', async () => {
    const { id } = await session.create('/pinpoints', aPinpoint());
    const path = `/pinpoints/${id}`;
    const writer = async (field: string, worth: (nth: number) => unknown): Promise<void> => {
      for (let time = 1; time <= increments; time += 1) {
        const answer = bodyOf<Thing>(await session.put(path, aPinpoint({ [field]: worth(time) })), 200);
        expect(answer[field]).toEqual(worth(time));
        expect((await session.read(path))[field]).toEqual(worth(time));
      }
    };
    await Promise.all([
      writer('address', (nth) => `${nth} Harbour Road`),
      writer('altitude', (nth) => nth),
      writer('description', (nth) => `<p>${nth}</p>`),
      writer('media_credits', (nth) => `Keeper ${nth}`),
      writer('tags', (nth) => [`tag ${nth}`]),
    ]);
    expect(await session.read(path)).toMatchObject({
      address: `${increments} Harbour Road`,
      altitude: increments,
      description: `<p>${increments}</p>`,
      media_credits: `Keeper ${increments}`,
      tags: [`tag ${increments}`],
    });
  });

  it('do not restore an object that is deleted meanwhile', async () => {
    await repeatedly(async (random) => {
      const { id } = await session.create('/lists', aList());
      const found = await race(random, [
        ...times(contenders, (nth) => async () => (await session.put(`/lists/${id}`, aList({ name: `writer ${nth}` }))).status),
        async () => (await session.delete(`/lists/${id}`)).status,
        async () => (await session.delete(`/lists/${id}`)).status,
      ]);
      expect(found.filter((status) => status === 204)).toHaveLength(1);
      expect(found.filter((status) => ![200, 204, 404].includes(Number(status)))).toEqual([]);
      expect((await session.get(`/lists/${id}`)).status).toBe(404);
    });
  });
});

describe('requests with one Idempotency-Key', () => {
  it('create one object, however many arrive at the same time', async () => {
    await repeatedly(async (random) => {
      const key = `key ${random.next()}`.replace(' ', '-');
      const post = (): Promise<Answer> => session.post('/pinpoints', aPinpoint({ name: key }), { 'Idempotency-Key': key });
      const answers = await Promise.all(times(contenders, post));
      const after = await post();
      const made = new Set([...answers, after].filter(({ status }) => status === 201).map(({ text }) => text));
      expect(made.size).toBe(1);
      expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    });
  });

  it('get the first response again after their list was deleted', async () => {
    const list = await session.create('/lists', aList());
    const { id } = await session.create('/pinpoints', aPinpoint());
    const add = (): Promise<Answer> => session.post(`/lists/${list.id}/pinpoints`, members(id), { 'Idempotency-Key': `list-${list.id}` });
    const first = await add();
    await session.delete(`/lists/${list.id}`);
    const second = await add();
    expect({ status: second.status, text: second.text }).toEqual({ status: first.status, text: first.text });
  });
});

describe('all of these races', () => {
  it('leave read models that match the log', async () => {
    await expectSound(server);
    await server.stop();
  });
});
