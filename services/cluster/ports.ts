import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** Ports that systems do not assign to outgoing connections: a connection to an engine cannot take one between the check and its use. */
const firstPort = 20_000;
const afterLastPort = 27_000;
const triesMax = 100;

/** Ports that this process has handed out: their users may not listen yet. */
const handedOut = new Set<number>();

/** Returns `count` ports of an address that are free now and that were not handed out before. */
export const freePorts = async (host: string, count: number): Promise<readonly number[]> => {
  const held: { readonly port: number; readonly server: Server }[] = [];
  try {
    for (let tries = 0; held.length < count; tries += 1) {
      if (tries >= count + triesMax) throw new Error(`${host} has no ${count} free ports between ${firstPort} and ${afterLastPort}.`);
      const port = randomInt(firstPort, afterLastPort);
      const server = handedOut.has(port) ? undefined : await tryListen(host, port);
      if (server === undefined) continue;
      handedOut.add(port);
      held.push({ port, server });
    }
    return held.map(({ port }) => port);
  } finally {
    await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  }
};

/** Listens on a port; returns undefined if the port is in use.
 * @throws every other error */
const tryListen = (host: string, port: number): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen(port, host, () => resolve(server));
  });
