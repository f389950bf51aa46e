import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, inFlight } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { bodyOf, type Session, type Thing } from '../api/session.ts';
import { expectSound, stateOf } from '../crash/installation.ts';
import { logInAgain, newSession, type Server } from '../crash/server.ts';
import { useTestServers } from '../crash/test-servers.ts';
import { until } from '../crash/until.ts';

jest.setTimeout(300_000);

const threads = 3;
const connections = 48;
const pairs = 10_000;
const changes = 4_000;

const ground = useTestServers();

const startWithThreads = (settings: Readonly<Record<string, string>> = {}, directory = ground.directory()): Promise<Server> =>
  ground.start(directory, { settings: { WAYMARK_HTTP_THREADS: String(threads), ...settings } });

/** Waits for the events of the server itself: its first application, and its first checkpoint. The next one follows a minute later. */
const untilSettled = async (server: Server): Promise<void> => {
  await until(() => existsSync(join(server.directory, 'first-application.json')));
  await until(async () => bodyOf<{ notary: { number: number } }>(await server.operator('GET', '/status'), 200).notary.number > 0);
};

const numbers = (count: number): number[] => [...Array(count).keys()];

/** Returns the number of answers by status. */
const statuses = (answers: readonly Answer[]): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const metric = async ({ operatorUrl }: Server, pattern: RegExp): Promise<number[]> => {
  const text = await (await fetch(`${operatorUrl}/metrics`)).text();
  return [...text.matchAll(pattern)].map(([, value]) => Number(value));
};

describe('a server with several HTTP threads', () => {
  it('shows each acknowledged write to the next read, over any connection', async () => {
    const server = await startWithThreads();
    const session = await newSession(server);
    const things = await inFlight(connections, numbers(connections), () => session.create('/pinpoints', aPinpoint()));
    const stale: string[] = [];
    await Promise.all(things.map((thing) => changeAndRead(session, thing, pairs / connections, stale)));
    expect(stale).toEqual([]);
    await expectSound(server);
    await server.stop();
  });

  it('answers changes of one object over many connections without 503, and loses none', async () => {
    const server = await startWithThreads();
    const session = await newSession(server);
    const { id } = await session.create('/pinpoints', aPinpoint());
    await untilSettled(server);
    const { head: before } = await stateOf(server);
    const answers = await inFlight(connections, numbers(changes), (nth) => session.put(`/pinpoints/${id}`, aPinpoint({ name: `${nth}` })));
    expect(statuses(answers)).toEqual({ 200: changes });
    expect((await stateOf(server)).head - before).toBe(changes);
    await expectSound(server);
    await server.stop();
  });

  it('accepts no write once an operator has closed writes', async () => {
    const server = await startWithThreads();
    const session = await newSession(server);
    await untilSettled(server);
    let going = true;
    const load = inFlight(connections, numbers(connections), async () => {
      while (going) {
        const { status } = await session.post('/pinpoints', aPinpoint());
        if (status !== 201 && status !== 503) throw new Error(`Unexpected status ${status}`);
      }
    });
    bodyOf(await server.operator('POST', '/writes', { open: false }), 200);
    const { head } = await stateOf(server);
    going = false;
    await load;
    const refused = await inFlight(connections, numbers(connections), () => session.post('/pinpoints', aPinpoint()));
    expect(statuses(refused)).toEqual({ 503: connections });
    expect((await stateOf(server)).head).toBe(head);
    bodyOf(await server.operator('POST', '/writes', { open: true }), 200);
    const accepted = await inFlight(connections, numbers(connections), () => session.post('/pinpoints', aPinpoint()));
    expect(statuses(accepted)).toEqual({ 201: connections });
    await server.stop();
  });

  it("acts on an operator's change of an application in every thread at once", async () => {
    const server = await startWithThreads();
    let session = await newSession(server);
    const readAll = () => inFlight(connections, numbers(connections), () => session.get('/pinpoints'));
    for (let round = 0; round < 3; round += 1) {
      session = await logInAgain(server, session);
      expect(statuses(await readAll())).toEqual({ 200: connections });
      bodyOf(await server.operator('POST', `/applications/${session.application.client_id}/suspend`), 200);
      expect(statuses(await readAll())).toEqual({ 403: connections });
      bodyOf(await server.operator('POST', `/applications/${session.application.client_id}/resume`), 200);
    }
    await server.stop();
  });

  it('counts the requests of all threads in its metrics', async () => {
    const server = await startWithThreads();
    const session = await newSession(server);
    await inFlight(connections, numbers(connections), () => session.get('/pinpoints'));
    expect(await metric(server, /^waymark_http_request_duration_seconds_count\{method="GET",route="\/pinpoints",.*\} (\d+)$/gm)).toEqual([
      connections,
    ]);
    expect(await metric(server, /^nodejs_eventloop_lag_seconds\{thread="(\d)"\}/gm)).toEqual([1, 2, 3]);
    expect(await metric(server, /^waymark_http_threads_unreported_total (\d+)$/gm)).toEqual([0]);
    await server.stop();
  });

  it('ends when one of the threads fails', async () => {
    const directory = ground.directory();
    const file = join(directory, 'fails');
    const preload = join(import.meta.dirname, 'failing/main.ts');
    const settings = { WAYMARK_HTTP_THREADS: String(threads), FAILS_FILE: file };
    const server = await ground.start(directory, { preload, settings });
    writeFileSync(file, '');
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.printed()).toContain('The thread fails, as the test wants.');
  });

  it('keeps its port to itself', async () => {
    const server = await startWithThreads();
    const { port } = new URL(server.url);
    for (const second of ['0', String(threads)]) {
      const other = ground.launch(ground.directory(), { settings: { WAYMARK_PORT: port, WAYMARK_HTTP_THREADS: second } });
      expect((await other.exited).code).toBe(3);
      expect(other.printed()).toContain('EADDRINUSE');
    }
    await server.stop();
    const next = await startWithThreads({ WAYMARK_PORT: port });
    await until(async () => (await next.client.send({ method: 'GET', path: '/v3.0/pinpoints' })).status === 401);
    await next.stop();
  });
});

/** Changes an object and reads it, repeatedly. Notes each read that does not show the change before it. */
const changeAndRead = async (session: Session, { id }: Thing, times: number, stale: string[]): Promise<void> => {
  for (let nth = 0; nth < times; nth += 1) {
    const name = `version ${nth}`;
    bodyOf(await session.put(`/pinpoints/${id}`, aPinpoint({ name })), 200);
    const read = await session.read(`/pinpoints/${id}`);
    if (read['name'] !== name) stale.push(`${id}: ${name}, not ${read['name']}`);
  }
};
