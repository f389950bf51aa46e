import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type ConnectionOptions = {
  /** Whether the responses are read. If not, they stay in the kernel's buffers and then in the server. */
  readonly reads: boolean;
  /** The local address from which to connect. */
  readonly from?: string;
};

/** Opens a connection over which bytes are sent unchanged. The server may close it at any time. */
export const rawConnection = async (url: string, { reads, from }: ConnectionOptions): Promise<Socket> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ...(from === undefined ? {} : { localAddress: from }) });
  if (reads) socket.resume();
  else socket.pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};
