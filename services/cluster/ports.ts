import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** Ports that systems give to nobody by themselves: a connection from here to an engine never takes one between our finding and using it. */
const firstPort = 20_000;
const afterLastPort = 27_000;
const triesMax = 100;

/** Given out by this process: it may not have begun to use them. */
const given = new Set<number>();

/** So many ports of an address that nobody listens on now, none of them given out before. */
export const freePorts = async (host: string, count: number): Promise<readonly number[]> => {
  const held: { readonly port: number; readonly server: Server }[] = [];
  try {
    for (let tries = 0; held.length < count; tries += 1) {
      if (tries >= count + triesMax) throw new Error(`No ${count} ports of ${host} are free between ${firstPort} and ${afterLastPort}.`);
      const port = randomInt(firstPort, afterLastPort);
      const server = given.has(port) ? undefined : await bound(host, port);
      if (server === undefined) continue;
      given.add(port);
      held.push({ port, server });
    }
    return held.map(({ port }) => port);
  } finally {
    await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  }
};

/** Undefined where somebody has the port already. @throws what else goes wrong */
const bound = (host: string, port: number): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen(port, host, () => resolve(server));
  });
