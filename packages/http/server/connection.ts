import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { lingerMs, lingerQuietMs } from '../limits.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Node keeps the answer that is still to be sent with the connection, and looks at it before it refuses anything itself. The handle counts what
 * was handed to the kernel, and what waits for it. */
export type Connection = Socket & {
  readonly _httpMessage?: (ServerResponse & { readonly _header?: string | null }) | null;
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
};

/** The connections of a server that are open now. */
export const openConnections = (server: Server): ReadonlySet<Connection> => {
  const connections = new Set<Connection>();
  server.on('connection', (connection) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    // Node calls it after an answer that says `Connection: close`.
    connection.destroySoon = () => linger(connection);
  });
  return connections;
};

const statusOfError: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** What is not HTTP never reaches the application: it is answered here, in the same form. */
export const refuse = (error: NodeJS.ErrnoException, duplex: Duplex): void => {
  const connection = duplex as Connection;
  // It has had its last answer.
  if (connection.writableEnded) return;
  if (error.code === 'ECONNRESET' || !connection.writable) return void connection.destroy();
  const answer = connection._httpMessage;
  if (answer?.req.complete === true && !answer.writableEnded) {
    // The request before came whole, and what it asked for may have been done: its own answer is the last one here.
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

/** Ends a connection after its last answer, and throws away what still comes until the client has ended it too.
 * Closed before all was read, it would be reset, and whoever still sends would lose the answer. */
const linger = (connection: Connection): void => {
  // Node's parser lets go of what somebody else reads: nothing that comes now is a request.
  connection.removeAllListeners('data').on('data', () => undefined);
  connection.resume();
  connection.once('finish', () => {
    connection.setTimeout(lingerQuietMs);
    const cut = setTimeout(() => connection.destroy(), lingerMs);
    connection.once('close', () => clearTimeout(cut));
  });
  connection.end();
};
