import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressConnectionsMax } from '../../deploy/edge/front.ts';
import { statusOfBytes } from '../api/client.ts';
import { describeWithNginx, type Edge, startEdge, trustedProxy } from './edge.ts';

/** The value of the template. */
const addressRequestsMax = 512;
const slowSendersAtOnce = 4_094;
const groupSize = 200;
const halfHeadersAtOnce = addressConnectionsMax + 75;
const throttled = '{"detail":"Request was throttled."}';
const other = '127.0.0.9';
/** Only a connection or a process that hangs takes this long. */
const hangMs = 120_000;

jest.setTimeout(180_000);

/** A connection that sends a text and stays open, with its state and the bytes that it has received. */
type Held = { readonly socket: Socket; readonly received: () => string; readonly isOpen: () => boolean };

const hold = (port: number, from: string, text: string): Promise<Held> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    let received = '';
    let isOpen = true;
    const held = { socket, received: () => received, isOpen: () => isOpen };
    socket.on('data', (chunk) => {
      received += chunk;
    });
    for (const end of ['error', 'end', 'close'] as const)
      socket.on(end, () => {
        isOpen = false;
        resolve(held);
      });
    socket.once('connect', () => socket.write(text, () => resolve(held)));
  });

describeWithNginx('The edge: limits of a single client:', () => {
  const held: Held[] = [];
  let edge: Edge | undefined;
  const start = async (options?: Parameters<typeof startEdge>[0]): Promise<Edge> => {
    edge = await startEdge(options);
    return edge;
  };
  const open = (): number => held.filter(({ isOpen }) => isOpen()).length;
  const answered = (status: number): number => held.filter(({ received }) => statusOfBytes(received()) === status).length;
  const until = async (holds: () => boolean): Promise<void> => {
    const deadlineMs = performance.now() + hangMs;
    while (!holds()) {
      if (performance.now() > deadlineMs) throw new Error(`${open()} of ${held.length} are open, ${answered(429)} were refused`);
      await sleep(20);
    }
  };
  /** Opens connections in groups.
   * @param begun returns how many of them have arrived; waited for after each group, because the backlog of a listening socket holds no
   * more than a group */
  const holdAll = async (
    addresses: readonly string[],
    count: number,
    text: (nth: number) => string,
    begun?: () => number,
  ): Promise<void> => {
    const { port } = edge as Edge;
    const of = (nth: number): string => addresses[nth % addresses.length] ?? '';
    for (let first = 0; first < count; first += groupSize) {
      const group = Array.from({ length: Math.min(groupSize, count - first) }, (_, nth) => first + nth);
      held.push(...(await Promise.all(group.map((nth) => hold(port, of(nth), text(nth))))));
      if (begun !== undefined) await until(() => begun() === held.length);
    }
  };
  const isServed = async (here: Edge, from: string): Promise<number> =>
    (await here.send({ method: 'GET', path: '/v3.0/lists', from, headers: { Connection: 'close' } })).status;

  afterEach(async () => {
    for (const { socket } of held.splice(0)) socket.destroy();
    await edge?.remove();
  });

  it('connections without a finished header are limited by address, and other addresses are served', async () => {
    const here = await start({ trusted: [] });
    await holdAll(['127.0.0.2'], halfHeadersAtOnce, () => 'GET /v3.0/lists HTTP/1.1\r\nHost: maps.ex');
    await until(() => open() <= addressConnectionsMax);
    expect(open()).toBe(addressConnectionsMax);
    expect(await isServed(here, other)).toBe(200);
    await expect(isServed(here, '127.0.0.2')).rejects.toThrow();
  });

  it('connections of a trusted proxy are not limited', async () => {
    const here = await start();
    await holdAll([trustedProxy], halfHeadersAtOnce, () => 'GET /v3.0/lists HTTP/1.1\r\nHost: maps.ex');
    expect(open()).toBe(halfHeadersAtOnce);
    expect(await isServed(here, trustedProxy)).toBe(200);
  });

  it('requests in progress are limited by address: 429 as the contract defines it', async () => {
    const here = await start({ trusted: [] });
    const request = 'POST /v3.0/oauth2/token HTTP/1.1\r\nHost: maps.example\r\nContent-Length: 100\r\n\r\na';
    await holdAll(['127.0.0.2'], addressRequestsMax + 5, () => request);
    await until(() => answered(429) === 5);
    const refused = held.find(({ received }) => received() !== '')?.received() ?? '';
    expect(refused.split('\r\n\r\n')[1]).toBe(throttled);
    expect(refused).toMatch(/\r\nContent-Type: application\/json\r\n/);
    expect(refused).toMatch(/\r\nRetry-After: 1\r\n/);
    expect(refused).toMatch(/\r\nX-Request-Id: /);
    expect(await isServed(here, '127.0.0.2')).toBe(429);
    expect(await isServed(here, other)).toBe(200);
  });

  it.each([
    ['an IPv4 address, also as a mapped or NAT64 address', ['198.51.100.7', '::ffff:198.51.100.7', '64:ff9b::c633:6407'], '198.51.100.8'],
    ['an IPv6 /64', ['2001:db8::1', '2001:db8:0:0:1::', '2001:db8::a:b:c:d'], '2001:db8:0:1::1'],
  ])('requests behind a trusted proxy are counted by %s', async (_, addresses, elsewhere) => {
    const here = await start();
    const request = (nth: number): string =>
      `POST /v3.0/oauth2/token HTTP/1.1\r\nHost: maps.example\r\nX-Forwarded-For: ${addresses[nth % addresses.length]}\r\nContent-Length: 100\r\n\r\na`;
    await holdAll([trustedProxy], addressRequestsMax + 3, request);
    await until(() => answered(429) === 3);
    const ask = async (address: string): Promise<number> =>
      (await here.send({ method: 'GET', path: '/v3.0/lists', from: trustedProxy, headers: { 'X-Forwarded-For': address } })).status;
    for (const address of addresses) expect(await ask(address)).toBe(429);
    expect(await ask(elsewhere)).toBe(200);
  });

  it(`${slowSendersAtOnce} clients without a token that send a byte now and then do not block another client`, async () => {
    const here = await start({ trusted: [], workers: 2 });
    const addresses = Array.from({ length: 8 }, (_, nth) => `127.0.1.${nth + 1}`);
    const request = 'POST /v3.0/oauth2/token HTTP/1.1\r\nHost: maps.example\r\nContent-Length: 1000\r\n\r\na';
    await holdAll(
      addresses,
      slowSendersAtOnce,
      () => request,
      () => here.stubs.auth.begun.length,
    );
    for (const { socket } of held) socket.write('b');
    for (let asked = 0; asked < 20; asked += 1) expect(await isServed(here, other)).toBe(200);
    expect(open()).toBe(slowSendersAtOnce);
  });

  it('neither a slow sender nor a slow reader causes a temporary file on disk', async () => {
    const here = await start();
    // More than the buffers of the system hold.
    const file = Buffer.alloc(64 * 1024 * 1024);
    let service: { readonly writableLength: number } | undefined;
    here.stubs.query.reply = here.stubs.query2.reply = (_, to) => {
      service = to.socket ?? undefined;
      to.writeHead(200, { 'Content-Length': file.length }).end(file);
    };
    const reader = await hold(here.port, '127.0.0.1', '');
    reader.socket.pause();
    reader.socket.write('GET /media/a.png HTTP/1.1\r\nHost: maps.example\r\n\r\n');
    const head = 'POST /v3.0/pinpoints HTTP/1.1\r\nHost: maps.example\r\nContent-Length: 8000000\r\n\r\n';
    const sender = await hold(here.port, '127.0.0.1', `${head}${' '.repeat(4_000_000)}`);
    held.push(reader, sender);
    await until(() => service !== undefined && here.stubs.pinpoints.begun.length === 1);
    await sleep(500);
    // The service waits for the reader: no buffer between them takes the whole file.
    expect(service?.writableLength).toBeGreaterThan(0);
    const opened = here.workers().flatMap((pid) => readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
    expect(opened.filter((path) => path.startsWith(here.directory) && /temp/.test(path))).toEqual([]);
  });
});

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
};

const isRoot = process.getuid?.() === 0;
(isRoot ? describeWithNginx : describe.skip)(`The edge, started by root${isRoot ? '' : ' (left out: needs root)'}:`, () => {
  it('its workers run as an unprivileged user, in a separate directory that this user may enter', async () => {
    const edge = await startEdge();
    try {
      const passwd = readFileSync('/etc/passwd', 'utf8').split('\n');
      const userOf = (name: string): string | undefined => passwd.find((line) => line.startsWith(`${name}:`))?.split(':')[2];
      const uid = userOf('www-data') ?? userOf('nobody');
      expect(edge.workers()).toHaveLength(1);
      for (const pid of edge.workers())
        expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\s+${uid}\\s+${uid}$`, 'm'));
      // The workers can write their buffers: a response in pieces is passed on.
      expect((await edge.send({ method: 'GET', path: '/v3.0/lists' })).status).toBe(200);
    } finally {
      await edge.remove();
    }
  });
});
