import { Agent, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyBytesMax } from '@waymark/http/limits.ts';
import { describeWithNginx } from './edge.ts';
import { type EdgeProcess, startEdgeProcess } from './edge-process.ts';
import { type Reply, type Stub, startStub } from './stub.ts';

const key = 'k'.repeat(43);
const drainSeconds = 2;
const clients = 16;
/** How long the Service still sends connections to a process that stops. */
const leavesAfterMs = 500;
const cut: Reply = (asked) => asked.socket.destroy();

jest.setTimeout(180_000);

describeWithNginx('waymark edge', () => {
  let stub: Stub;
  const running: EdgeProcess[] = [];
  const start = async (settings: Readonly<Record<string, string>> = {}): Promise<EdgeProcess> => {
    const edge = await startEdgeProcess(stub.address.replace('127.0.0.1', 'localhost'), settings);
    running.push(edge);
    stub.arrived.splice(0);
    return edge;
  };
  beforeEach(async () => {
    stub = await startStub('service');
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((edge) => edge.remove()));
    await stub.stop();
  });
  const headersNamed = (name: string): readonly string[] => {
    const { headers = [] } = stub.arrived.at(-1) ?? {};
    return headers.filter((_, nth) => nth % 2 === 1 && headers[nth - 1]?.toLowerCase() === name);
  };

  it('sends its key in place of what a client sends, also with a body that is too large', async () => {
    const edge = await start({ WAYMARK_EDGE_KEY: `${key},${'o'.repeat(43)}` });
    const headers = { 'X-Waymark-Edge-Key': 'forged' };
    await edge.send({ method: 'GET', path: '/v3.0/lists', headers });
    expect(headersNamed('x-waymark-edge-key')).toEqual([key]);
    await edge.send({ method: 'POST', path: '/v3.0/pinpoints', headers, body: Buffer.alloc(bodyBytesMax + 1) });
    expect(headersNamed('x-waymark-edge-key')).toEqual([key]);
  });

  it("removes a client's header where it has no key", async () => {
    const edge = await start();
    await edge.send({ method: 'GET', path: '/v3.0/lists', headers: { 'X-Waymark-Edge-Key': 'forged' } });
    expect(headersNamed('x-waymark-edge-key')).toEqual([]);
  });

  it('tries a read that fails once more, and no write', async () => {
    const edge = await start();
    stub.reply = cut;
    expect((await edge.send({ method: 'GET', path: '/v3.0/lists' })).status).toBe(503);
    expect(stub.arrived.splice(0)).toHaveLength(2);
    expect((await edge.send({ method: 'POST', path: '/v3.0/lists' })).status).toBe(503);
    expect(stub.arrived).toHaveLength(1);
    // A failure says nothing about the next connection.
    stub.reply = undefined;
    expect((await edge.send({ method: 'GET', path: '/v3.0/lists' })).status).toBe(200);
  });

  it('ends a connection to a Service after 1,000 requests, or 5 s', async () => {
    const service = await counting(stub);
    const edge = await startEdgeProcess(service.address);
    running.push(edge);
    const ask = () => edge.send({ method: 'GET', path: '/v3.0/lists' });
    const before = service.opened();
    const startedMs = performance.now();
    for (let asked = 0; asked < 1_000; asked += 1) await ask();
    const after = service.opened();
    expect(after - before).toBeGreaterThanOrEqual(1);
    expect(after - before).toBeLessThanOrEqual(2 + (performance.now() - startedMs) / 5_000);
    await sleep(5_100);
    await ask();
    await ask();
    expect(service.opened()).toBeGreaterThan(after);
    await service.close();
  });

  it('stops under load on kept connections without a refused or reset one', async () => {
    const [leaving, staying] = await Promise.all([
      start({ WAYMARK_DRAIN_SECONDS: `${drainSeconds}` }),
      start({ WAYMARK_DRAIN_SECONDS: `${drainSeconds}` }),
    ]);
    let targets = [leaving.url, staying.url];
    const seen = { answered: 0, closed: 0, wrong: [] as string[] };
    let isRunning = true;
    const client = async (nth: number): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      let target = targets[nth % targets.length] ?? '';
      while (isRunning) {
        const { status, isLast } = await once(agent, target, nth % 4 === 0 ? 'POST' : 'GET').catch((error: Error) => ({
          status: `${(error as NodeJS.ErrnoException).code} ${error.message}`,
          isLast: true,
        }));
        if (status === 200) seen.answered += 1;
        else seen.wrong.push(`${status}`);
        // As a Service does: it chooses among the addresses for each new connection.
        if (isLast) {
          seen.closed += 1;
          target = targets[seen.closed % targets.length] ?? '';
        }
      }
      agent.destroy();
    };
    const load = Promise.all(Array.from({ length: clients }, (_, nth) => client(nth)));
    await sleep(500);
    leaving.child.kill('SIGTERM');
    await sleep(leavesAfterMs);
    targets = [staying.url];
    expect(await leaving.ended).toBe(0);
    await sleep(200);
    isRunning = false;
    await load;
    expect(seen.wrong.slice(0, 5)).toEqual([]);
    expect(seen.closed).toBeGreaterThanOrEqual(clients / 2);
    expect(seen.answered).toBeGreaterThan(100);
  });

  it('lets every response end its connection during the drain, also its own ones', async () => {
    const edge = await start({ WAYMARK_DRAIN_SECONDS: '3' });
    const connectionOf = async (method: string, path: string) => (await edge.send({ method, path })).headers.connection;
    const asked = [
      ['GET', '/v3.0/lists'],
      ['POST', '/v3.0/lists'],
      ['POST', '/v3.0/oauth2/token'],
      ['PUT', '/v3.0/pinpoints/7'],
      ['TRACE', '/'],
      ['GET', '/%zz'],
      ['GET', '/-/command'],
    ] as const;
    expect(await connectionOf('GET', '/v3.0/lists')).toBe('keep-alive');
    edge.child.kill('SIGTERM');
    await sleep(200);
    for (const [method, path] of asked) expect([method, path, await connectionOf(method, path)]).toEqual([method, path, 'close']);
    await stub.stop();
    expect(await edge.send({ method: 'GET', path: '/v3.0/lists' })).toMatchObject({ status: 503, headers: { connection: 'close' } });
    await stub.start();
  });

  it('starts again in a directory that an earlier one has left', async () => {
    const edge = await start({ WAYMARK_DRAIN_SECONDS: '0' });
    edge.child.kill('SIGTERM');
    expect(await edge.ended).toBe(0);
    const again = await start({ WAYMARK_EDGE_DIR: edge.directory });
    expect((await again.send({ method: 'GET', path: '/v3.0/lists' })).headers.connection).toBe('keep-alive');
  });

  it.each([
    ['a name that cannot be resolved', { WAYMARK_EDGE_QUERY: 'nowhere.invalid:8080' }, 'host not found in upstream "nowhere.invalid:8080"'],
    ['a missing nginx', { WAYMARK_NGINX: '/nowhere/nginx' }, 'Set WAYMARK_NGINX'],
    ['a directory that cannot be made', { WAYMARK_EDGE_DIR: '/dev/null/edge' }, '/dev/null/edge'],
  ])('does not start with %s, and says so', async (_, settings, message) => {
    await expect(start(settings)).rejects.toThrow(message);
  });
});

/** Sends one request. Resolves to its status, and to whether its connection ends with it. */
const once = (agent: Agent, url: string, method: string): Promise<{ readonly status: unknown; readonly isLast: boolean }> =>
  new Promise((resolve, reject) => {
    request(`${url}/v3.0/lists`, { agent, method }, (response) => {
      response.resume().once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode, isLast: response.headers.connection === 'close' }));
    })
      .once('error', reject)
      .end();
  });

/** Puts a server that counts connections before a service. */
const counting = async (stub: Stub) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    const [host = '', port] = stub.address.split(':');
    const onward = connect(Number(port), host);
    socket.pipe(onward).pipe(socket);
    socket.once('error', () => onward.destroy());
    onward.once('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { address: `127.0.0.1:${port}`, opened: () => sockets.length, close };
};
