import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { createAmountTable, openAmounts } from '../counters/open-amounts.ts';
import { createClientAddresses } from './addresses.ts';
import { createPeerLimit, keepForClient } from './peers.ts';
import { type Listening, listen } from './server.ts';

const open = new Set<Socket>();
let server: Listening;
const edgeKey = 'e'.repeat(32);

const limited = async (connectionsMax: number, trusted: readonly string[] = []): Promise<void> => {
  const { ofPeer, isFromEdge } = createClientAddresses({ trusted, edgeKeys: [edgeKey] });
  const peers = createPeerLimit({ ofPeer, isFromEdge, connectionsMax });
  server = await listen(
    (request, response) => {
      if (request.url === '/known') keepForClient(request.socket);
      if (request.url !== '/held') response.end('{}');
    },
    '127.0.0.1',
    0,
    { peers },
  );
};

/** Opens a connection from an address of this machine and sends a request. Returns undefined if the connection was closed without a
 * response. */
const asked = async (path: string, from = '127.0.0.1', headers = ''): Promise<Socket | undefined> => {
  const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: from });
  open.add(socket);
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  if (path === '/held') return once(socket, 'connect').then(() => socket);
  return Promise.race([once(socket, 'data').then(() => socket), once(socket, 'close').then(() => undefined)]);
};

const openTimes = async (count: number, path: string, from?: string, headers?: string): Promise<readonly (Socket | undefined)[]> => {
  const sockets: (Socket | undefined)[] = [];
  for (let nth = 0; nth < count; nth += 1) sockets.push(await asked(path, from, headers));
  return sockets;
};

describe('the connections of one peer', () => {
  afterEach(async () => {
    for (const socket of open) socket.destroy();
    open.clear();
    await server.close(0);
  });

  it('are limited: above the limit, the oldest idle one is closed', async () => {
    await limited(3);
    const [first, ...others] = await openTimes(4, '/');
    if (first && !first.closed) await once(first, 'close');
    expect(others.map((socket) => socket?.closed)).toEqual([false, false, false]);
  });

  it('do not lock out other peers', async () => {
    await limited(3);
    await openTimes(50, '/');
    expect(await asked('/', '127.0.0.2')).toBeDefined();
    expect(await asked('/', '127.0.0.3')).toBeDefined();
  });

  it('do not displace a connection of a known client or one with a request in progress', async () => {
    await limited(3);
    const known = await asked('/known');
    const held = await asked('/held');
    await openTimes(20, '/');
    expect([known?.closed, held?.closed]).toEqual([false, false]);
  });

  it('are refused if none can be closed', async () => {
    await limited(2);
    await openTimes(2, '/known');
    expect(await asked('/')).toBeUndefined();
    expect(await asked('/', '127.0.0.2')).toBeDefined();
  });

  it('may be opened again once others are closed', async () => {
    await limited(2);
    for (const socket of await openTimes(2, '/known')) socket?.destroy();
    for (let tries = 0; (await asked('/known')) === undefined; tries += 1) expect(tries).toBeLessThan(1_000);
  });

  it('are not limited if the peer is a trusted proxy', async () => {
    await limited(2, ['127.0.0.1']);
    const sockets = await openTimes(10, '/');
    expect(sockets.map((socket) => socket?.closed)).toEqual(sockets.map(() => false));
  });

  it('are not limited, nor counted, if the peer is an edge with its key', async () => {
    await limited(2);
    const header = `X-Waymark-Edge-Key: ${edgeKey}\r\n`;
    const sockets = await openTimes(10, '/', '127.0.0.1', header);
    expect(sockets.map((socket) => socket?.closed)).toEqual(sockets.map(() => false));
    // The other connections of the address still have the whole limit, also after those of the edge have ended.
    for (const socket of sockets.slice(0, 5)) socket?.destroy();
    const others = await openTimes(2, '/known');
    expect(others.map((socket) => socket?.closed)).toEqual([false, false]);
    expect(await asked('/known')).toBeUndefined();
  });

  it('are limited if the key is another one', async () => {
    await limited(2);
    await openTimes(2, '/known', '127.0.0.1', `X-Waymark-Edge-Key: ${'f'.repeat(32)}\r\n`);
    expect(await asked('/known')).toBeUndefined();
  });
});

describe('the connections of one peer in several threads', () => {
  const thread = (table = createAmountTable()) =>
    createPeerLimit({ ofPeer: () => 'a', isFromEdge: () => false, connectionsMax: 3, amounts: openAmounts({ table }) });
  const closed = async (socket: Socket): Promise<void> => {
    const close = once(socket, 'close');
    socket.destroy();
    await close;
  };

  it('are limited together', async () => {
    const table = createAmountTable();
    const [here, there] = [thread(table), thread(table)];
    const sockets = [1, 2, 3].map(() => new Socket());
    expect(sockets.map(here.admit)).toEqual([true, true, true]);
    expect(there.admit(new Socket())).toBe(false);
    await Promise.all(sockets.slice(1).map(closed));
    expect([1, 2].map(() => there.admit(new Socket()))).toEqual([true, true]);
    expect(sockets[0]?.destroyed).toBe(false);
  });

  it('replace those of the same thread, which are then no longer counted', async () => {
    const table = createAmountTable();
    const [here, there] = [thread(table), thread(table)];
    const [first, second, third] = [new Socket(), new Socket(), new Socket()];
    expect([here.admit(new Socket()), here.admit(new Socket()), there.admit(first)]).toEqual([true, true, true]);
    const replaced = once(first, 'close');
    expect(there.admit(second)).toBe(true);
    await replaced;
    keepForClient(second);
    expect(there.admit(third)).toBe(false);
    await closed(second);
    expect(there.admit(third)).toBe(true);
  });
});
