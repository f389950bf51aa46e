import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { aPinpoint } from '../api/samples.ts';
import { bodyOf, type Session } from '../api/session.ts';
import { beginRequest, holdConnection } from './half-request.ts';
import { expectSound } from './installation.ts';
import { walk } from './load/objects.ts';
import { type Exit, logInAgain, newSession, type Server, statusOf, waitUntilReady } from './server.ts';
import { useCrashServers } from './test-servers.ts';

const halfRequests = 16;
const writersAtOnce = 60;
const restMs = 12;
/** How long the load runs before the shutdown. Connections that were just opened still wait to be accepted. */
const loadsMs = [10, 40, 150, 300];
const arrivalMs = 100;
/** The time in which requests are sent, of a drain of 3 s. */
const requestsWithinMs = 1_500;

const ground = useCrashServers();

/** Sends SIGTERM to a server.
 * @returns how the process exited, and how long that took */
const terminate = async ({ child, exited }: Server): Promise<Exit & { readonly tookMs: number }> => {
  const beganMs = performance.now();
  child.kill('SIGTERM');
  const exit = await exited;
  return { ...exit, tookMs: performance.now() - beganMs };
};

const names = async (session: Session): Promise<string[]> =>
  (await walk(session, '/pinpoints?limit=500')).map(({ name }) => String(name)).sort();

describe('a server that receives SIGTERM', () => {
  it('is no longer ready, answers every request that it has begun to read, and exits with 0', async () => {
    const directory = ground.directory();
    const server = await ground.start(directory);
    const session = await newSession(server);
    const sent = Array.from({ length: halfRequests }, (_, nth) => `request ${nth}`);
    const requests = await Promise.all(sent.map((name) => beginRequest(server.url, session, name)));
    await pause(arrivalMs);
    const ended = terminate(server);
    await pause(arrivalMs);
    expect(await statusOf(`${server.operatorUrl}/readyz`)).toBe(503);
    // Further signals, also of other kinds, must not cut the shutdown short.
    server.child.kill('SIGTERM');
    server.child.kill('SIGINT');
    server.child.kill('SIGTERM');
    await pause(arrivalMs);
    const answers = await Promise.all(requests.map(({ finish }) => finish()));
    expect(answers.filter((text) => !text.startsWith('HTTP/1.1 201 '))).toEqual([]);
    expect(answers.filter((text) => !/\r\nConnection: close\r\n/i.test(text))).toEqual([]);
    expect(await ended).toMatchObject({ code: 0, signal: null });
    expect(existsSync(join(directory, 'operator.json'))).toBe(false);

    const again = await ground.start(directory);
    expect(await names(await logInAgain(again, session))).toEqual(sent.sort());
    await again.stop();
  });

  it('loses no request that was sent before, however many there are at once', async () => {
    const directory = ground.directory();
    for (const loadMs of loadsMs) {
      const server = await ground.start(directory);
      const session = await newSession(server);
      const history = startWriting(session, `after ${loadMs} ms`);
      await pause(loadMs);
      const ended = terminate(server);
      await history.end();
      expect(await ended).toMatchObject({ code: 0, signal: null });

      const again = await ground.start(directory);
      const has = await names(await logInAgain(again, session));
      expect(new Set(has).size).toBe(has.length);
      expect(history.acknowledged.filter((name) => !has.includes(name))).toEqual([]);
      expect(history.failed).toEqual([]);
      await expectSound(again);
      await again.stop();
    }
  });

  it('answers new requests during the drain, is not ready, and closes each connection', async () => {
    const server = await ground.start(ground.directory(), { settings: { WAYMARK_DRAIN_SECONDS: '3' } });
    const session = await newSession(server);
    const beganMs = performance.now();
    const ended = terminate(server);
    while ((await statusOf(`${server.operatorUrl}/readyz`)) !== 503) await pause(arrivalMs);
    const answers: string[] = [];
    // The requests are sent well before the end of the drain. Each one uses its own connection.
    while (answers.length < 5 && performance.now() - beganMs < requestsWithinMs) {
      const created = await session.post('/pinpoints', aPinpoint({ name: `drained ${answers.length}` }));
      answers.push(`${created.status} ${created.headers['connection']}`);
    }
    expect(answers.length).toBeGreaterThan(0);
    expect(new Set(answers)).toEqual(new Set(['201 close']));
    expect(await ended).toMatchObject({ code: 0, signal: null });
    expect((await ended).tookMs).toBeGreaterThanOrEqual(3_000);
  });

  it('cuts off a request that never completes within WAYMARK_STOP_SECONDS of the end of the drain, and exits with 0', async () => {
    const settings = { WAYMARK_DRAIN_SECONDS: '1', WAYMARK_STOP_SECONDS: '9' };
    const server = await ground.start(ground.directory(), { settings });
    const session = await newSession(server);
    const request = await beginRequest(server.url, session, 'never whole');
    await pause(arrivalMs);
    const ended = terminate(server);
    await request.cutOff;
    const { code, tookMs } = await ended;
    expect(code).toBe(0);
    // The drain of 1 s, and the part of the 9 s that requests in progress may take.
    expect(tookMs).toBeGreaterThanOrEqual(7_000);
  });

  it('is not delayed by idle connections', async () => {
    const server = await ground.start(ground.directory(), { settings: { WAYMARK_STOP_SECONDS: '90' } });
    const session = await newSession(server);
    const silent = await Promise.all([holdConnection(server.url), holdConnection(server.operatorUrl)]);
    await session.get('/pinpoints');
    const { code, tookMs } = await terminate(server);
    await Promise.all(silent.map(({ cutOff }) => cutOff));
    expect(code).toBe(0);
    // Requests in progress may take 60 s of the 90 s.
    expect(tookMs).toBeLessThan(60_000);
  });
});

/** Creates pinpoints over many connections, with pauses, until `end` is called. Records the outcome of each request. */
const startWriting = (session: Session, prefix: string) => {
  const acknowledged: string[] = [];
  const failed: string[] = [];
  let going = true;
  let begun = 0;
  const writeOne = async (): Promise<void> => {
    begun += 1;
    const name = `${prefix}, pinpoint ${begun}`;
    try {
      bodyOf(await session.post('/pinpoints', aPinpoint({ name })), 201);
      acknowledged.push(name);
    } catch (error) {
      failed.push(`${name}: ${(error as Error).message}`);
      going = false;
    }
  };
  const write = async (nth: number): Promise<void> => {
    while (going) {
      await writeOne();
      await pause(nth % restMs);
    }
  };
  const writers = Promise.all(Array.from({ length: writersAtOnce }, (_, nth) => write(nth)));
  const end = async (): Promise<void> => {
    going = false;
    await writers;
  };
  return { acknowledged, failed, end };
};

describe('a data directory', () => {
  it('belongs to one process: a second process reports that and exits with 3', async () => {
    const directory = ground.directory();
    const server = await ground.start(directory);
    const session = await newSession(server);
    const second = ground.launch(directory);
    expect(await second.exited).toEqual({ code: 3, signal: null });
    expect(second.printed()).toBe(`${directory} is in use by another process.\n`);
    expect(existsSync(join(directory, 'operator.json'))).toBe(true);
    expect((await session.post('/pinpoints', aPinpoint())).status).toBe(201);
    await server.stop();
  });

  it('is available as soon as its process is killed', async () => {
    const directory = ground.directory();
    for (let time = 0; time < 3; time += 1) {
      const server = await ground.start(directory);
      await server.kill();
    }
    const [one, other] = [ground.launch(directory), ground.launch(directory)];
    const loser = await Promise.race([one, other].map((launched) => launched.exited.then(() => launched)));
    expect(await loser.exited).toEqual({ code: 3, signal: null });
    await (await waitUntilReady(loser === one ? other : one)).stop();
  });
});
