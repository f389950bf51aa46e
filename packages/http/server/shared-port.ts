import { createServer, type ListenOptions } from 'node:net';

type Address = { readonly host: string; readonly port: number };

/** Returns whether this system lets several threads listen on one port. */
export const canSharePorts = async (host: string): Promise<boolean> => {
  try {
    await portOf({ host, port: 0, reusePort: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTSUP') return false;
    throw error;
  }
};

/** Returns a port that several threads of this process can listen on: the given one, or any free one for 0. Nobody else listens on it: the
 * port was bound alone, and released. Without this, a process would silently share a port with any other process of the same user.
 * @throws the error of listening if the address is in use */
export const claimPort = ({ host, port }: Address): Promise<number> => portOf({ host, port });

const portOf = (address: ListenOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(address, () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === 'object' && bound !== null ? bound.port : 0));
    });
  });
