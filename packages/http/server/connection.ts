import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { lingerMs, lingerQuietMs } from '../limits.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Node keeps the response that is still to be sent with the connection, and checks it before it refuses anything itself. The handle counts
 * the bytes that were passed to the kernel, and the bytes that wait for it. */
export type Connection = Socket & {
  readonly _httpMessage?: (ServerResponse & { readonly _header?: string | null }) | null;
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
};

/** Returns the connections of a server that are currently open. */
export const openConnections = (server: Server): ReadonlySet<Connection> => {
  const connections = new Set<Connection>();
  server.on('connection', (connection) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    // Node calls this function after a response with `Connection: close`.
    connection.destroySoon = () => linger(connection);
  });
  return connections;
};

const statusOfError: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Refuses data that is not HTTP. Such data never reaches the application, but the response has the same form. */
export const refuseInvalidHttp = (error: NodeJS.ErrnoException, duplex: Duplex): void => {
  const connection = duplex as Connection;
  // The connection has had its last response.
  if (connection.writableEnded) return;
  if (error.code === 'ECONNRESET' || !connection.writable) return void connection.destroy();
  const answer = connection._httpMessage;
  if (answer?.req.complete === true && !answer.writableEnded) {
    // The previous request arrived complete, and may have been carried out. Its own response is the last one on this connection.
    answer.shouldKeepAlive = false;
    return;
  }
  const status = statusOfError[error.code ?? ''] ?? 400;
  const body = JSON.stringify({ detail: `${STATUS_CODES[status]}.` });
  connection.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  linger(connection);
};

/** Ends a connection after its last response, and discards further data until the client has ended it too. If the connection was closed
 * before all data was read, it would be reset, and a client that is still sending would lose the response. */
const linger = (connection: Connection): void => {
  discardInput(connection);
  connection.once('finish', () => {
    connection.setTimeout(lingerQuietMs);
    const cut = setTimeout(() => connection.destroy(), lingerMs);
    connection.once('close', () => clearTimeout(cut));
  });
  connection.end();
};

/** Discards further data from the client, so that only the end of the connection is noticed. */
export const discardInput = (connection: Connection): void => {
  // Node's parser releases a socket that another reader reads: no data that arrives from now on is a request.
  const discard = (): void => void connection.removeAllListeners('data').on('data', () => undefined);
  // A socket that the parser releases while it is paused would never be read again.
  if (connection.isPaused()) connection.once('resume', discard).resume();
  else discard();
};
