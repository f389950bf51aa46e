import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type ConnectionOptions = {
  /** Whether what is answered is read; else it stays in the kernel's buffers, and then in the server. */
  readonly reads: boolean;
  /** The address of this machine to speak from. */
  readonly from?: string;
};

/** A connection over which bytes go as they are. The server may cut it off at any time. */
export const rawConnection = async (url: string, { reads, from }: ConnectionOptions): Promise<Socket> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ...(from === undefined ? {} : { localAddress: from }) });
  if (reads) socket.resume();
  else socket.pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};
