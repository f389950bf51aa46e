import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';

/** So many ports of an address that nobody listens on now: all are held until the last is found, so that no two are the same. */
export const freePorts = async (host: string, count: number): Promise<readonly number[]> => {
  const servers = await Promise.all(Array.from({ length: count }, () => bound(host)));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
};

const bound = (host: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => resolve(server));
  });
