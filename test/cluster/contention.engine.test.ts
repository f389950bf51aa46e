import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { type Answer, type Client, openClient } from '../api/client.ts';
import { aFile } from '../api/pictures.ts';
import { unknownId } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, type Thing, tokenCall } from '../api/session.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';
import { apiOf } from './setup/processes.ts';

const startMs = 300_000;
const stopMs = 300_000;
const writersOfEach = 6;
const changesOfEach = 15;
const membersOfEach = 8;

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media'], 'Two command services that write to the same objects', () => {
  let cluster: Cluster;
  let clients: readonly Client[] = [];
  /** The sessions of one application at each of the two services. Both respond as the edge does. */
  let sessions: readonly Session[] = [];
  let me: Session;

  beforeAll(async () => {
    cluster = await startCluster({ WAYMARK_REPLICAS: 'commands=2' });
    const application = bodyOf<Application>(
      await cluster.operator('POST', '/applications', { account: ownName('account'), name: 'test/cluster', scopes: ['read', 'write'] }),
      201,
    );
    const urls = [cluster.url, await apiOf(cluster, 'commands'), await apiOf(cluster, 'commands-2')];
    clients = urls.map(openClient);
    const [edge] = clients;
    const { access_token: token } = bodyOf<{ access_token: string }>(await (edge as Client).send(tokenCall(application)), 200);
    const [first, ...others] = clients.map(({ send }) => openSession(send, application, token));
    me = first as Session;
    sessions = others;
  }, startMs);
  afterAll(async () => {
    for (const client of clients) client.close();
    await cluster?.stop();
  }, stopMs);

  /** Runs the work many times at once, through each service. */
  const concurrently = (times: number, work: (session: Session, nth: number) => Promise<void>): Promise<unknown> =>
    Promise.all(sessions.flatMap((session, service) => Array.from({ length: times }, (_, nth) => work(session, service * times + nth))));

  it('lose no change: when several clients change what they have read, one of them succeeds each time', async () => {
    const { id } = await me.create('/lists', { name: '0' });
    const path = `/lists/${id}`;
    let done = 0;
    await concurrently(writersOfEach, async (session) => {
      for (let change = 0; change < changesOfEach; ) {
        const read = await untilAccepted(() => me.get(path));
        const { name } = bodyOf<Thing>(read, 200);
        const answer = await session.put(path, { name: String(Number(name) + 1) }, { 'If-Match': read.headers.etag });
        if (answer.status === 200) {
          done += 1;
          change += 1;
        } else expectRefusal(answer, [412]);
      }
    });
    expect(done).toBe(sessions.length * writersOfEach * changesOfEach);
    expect((await me.read(path))['name']).toBe(String(done));
  });

  it('accept changes without `If-Match` in some order, or answer 503', async () => {
    const { id } = await me.create('/lists', { name: 'first' });
    const path = `/lists/${id}`;
    const accepted: string[] = [];
    await concurrently(writersOfEach, async (session, nth) => {
      for (let change = 0; change < changesOfEach; change += 1) {
        const name = `${nth}.${change}`;
        const answer = await session.put(path, { name });
        if (answer.status === 200) accepted.push(answer.headers.etag ?? '');
        else expectRefusal(answer, []);
      }
    });
    // Each accepted change has made a revision of its own.
    expect(new Set(accepted).size).toBe(accepted.length);
    expect(accepted.length).toBeGreaterThan(0);
    expect(accepted).toContain((await me.get(path)).headers.etag);
  });

  it('lose no member when different clients add and remove members at the same time', async () => {
    const { id } = await me.create('/lists', { name: 'members' });
    const path = `/lists/${id}/pinpoints`;
    const stay: number[] = [];
    await concurrently(membersOfEach, async (session) => {
      const pinpoint = await session.create('/pinpoints', { name: 'member', latitude: 1, longitude: 1 });
      const other = await session.create('/pinpoints', { name: 'gone', latitude: 1, longitude: 1 });
      await untilAccepted(() => session.post(path, [{ id: pinpoint.id }, { id: other.id }]));
      await untilAccepted(() => session.delete(path, [{ id: other.id }]));
      stay.push(pinpoint.id);
    });
    const { results } = await me.page(`/pinpoints?list=${id}&limit=500`);
    expect(results.map((one) => one.id)).toEqual(stay.sort((a, b) => a - b));
  });

  it('execute requests with the same idempotency key once', async () => {
    for (let time = 0; time < changesOfEach; time += 1) {
      const key = ownName('key');
      const answers: Answer[] = [];
      const create = (session: Session) => () => session.post('/lists', { name: key }, { 'Idempotency-Key': key });
      await concurrently(2, async (session) => void answers.push(await untilAccepted(create(session))));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(201);
      expect((await me.page('/lists?limit=500')).results.filter(({ name }) => name === key)).toHaveLength(1);
    }
  });

  it('give one response to all requests with the same idempotency key: that of the event in the log', async () => {
    for (let time = 0; time < changesOfEach; time += 1) {
      const key = ownName('key');
      const answers: Answer[] = [];
      const body = { name: key, latitude: 1, longitude: 1, media_file: await aFile() };
      await concurrently(2, async (session) => {
        answers.push(await untilAccepted(() => session.post('/pinpoints', body, { 'Idempotency-Key': key })));
      });
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(await me.read(`/pinpoints/${bodyOf<Thing>(answers[0] as Answer, 201).id}`)).toEqual(answers[0]?.body);
    }
  });

  it('do not add a member again that was removed after a keyed request was answered', async () => {
    const { id } = await me.create('/lists', { name: 'members' });
    const path = `/lists/${id}/pinpoints`;
    for (let time = 0; time < changesOfEach; time += 1) {
      const key = ownName('key');
      const pinpoint = await me.create('/pinpoints', { name: key, latitude: 1, longitude: 1 });
      const [element, answers]: [object, Answer[]] = [{ id: pinpoint.id }, []];
      await concurrently(2, async (session, nth) => {
        answers.push(await untilAccepted(() => session.post(path, [element, { id: unknownId }], { 'Idempotency-Key': key })));
        await untilAccepted(() => session.put(`/lists/${id}`, { name: `${nth}` }));
        await untilAccepted(() => session.delete(path, [element]));
      });
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect((await me.page(`/pinpoints?list=${id}`)).results).toEqual([]);
    }
  });
});

const expectRefusal = ({ status, headers, text }: Answer, refusals: readonly number[]): void => {
  if (refusals.includes(status)) return;
  expect({ status, text, again: headers['retry-after'] }).toEqual({ status: 503, text: expect.any(String), again: expect.any(String) });
};

/** Sends the request again while the response has a `Retry-After` header. */
const untilAccepted = async (send: () => Promise<Answer>): Promise<Answer> => {
  for (;;) {
    const answer = await send();
    if (answer.headers['retry-after'] === undefined) return answer;
    expect([409, 503]).toContain(answer.status);
  }
};
