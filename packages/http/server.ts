import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  connectionsCheckIntervalMs,
  connectionsMax,
  headersBytesMax,
  headersTimeoutMs,
  keepAliveTimeoutMs,
  requestTimeoutMs,
  restingMs,
  socketIdleMs,
} from './limits.ts';

// Imported by name, it would have all that it exports looked at, and with it a whole HTTP client and a WebSocket loaded: a tenth of a start.
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** A server that listens, and its base URL. */
export type Listening = {
  readonly url: string;
  readonly port: number;
  /** Takes no more connections, lets what is in flight finish, and cuts what has not finished by `withinMs`. */
  readonly close: (withinMs: number) => Promise<void>;
};

/** Listens with every limit of the edge in force. Rejects where the address is taken.
 * @param idleMs a connection on which nothing moves so long is cut; 0: never, where answers may take their time */
export const listen = async (listener: RequestListener, host: string, port: number, idleMs = socketIdleMs): Promise<Listening> => {
  const server = createServer(
    {
      maxHeaderSize: headersBytesMax,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: connectionsCheckIntervalMs,
      noDelay: true,
      // The edge says it, in the contract's form.
      requireHostHeader: false,
    },
    listener,
  );
  server.maxConnections = connectionsMax;
  server.setTimeout(idleMs);
  server.on('clientError', refuse);
  // Node would answer an unknown `Expect` by itself, with a 417 that has no body; nobody has to know it.
  server.on('checkExpectation', listener);
  const sockets = openSockets(server);
  await bound(server, host, port);
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, port: address.port, close: (withinMs) => close(server, sockets, withinMs) };
};

const bound = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      // A connection that could not be accepted is the client's to try again; it is no reason to end.
      server.on('error', () => undefined);
      resolve();
    });
  });

const statusOfError: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Node keeps the answer that is still to be sent with the connection, and looks at it before it refuses anything itself. */
type Connection = Duplex & { readonly _httpMessage?: ServerResponse | null };

/** What is not HTTP never reaches the application: it is answered here, in the same form. */
const refuse = (error: NodeJS.ErrnoException, socket: Connection): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const answer = socket._httpMessage;
  if (answer?.req.complete === true && !answer.writableEnded) {
    // The request before came whole, and what it asked for may have been done: its own answer is the last one here.
    answer.shouldKeepAlive = false;
    return;
  }
  const status = statusOfError[error.code ?? ''] ?? 400;
  const body = JSON.stringify({ detail: `${STATUS_CODES[status]}.` });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
};

/** Takes no more connections at once, but leaves those that rest a moment: what a client has sent on one of them just now is still answered. */
const close = (server: Server, sockets: ReadonlySet<Socket>, withinMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), withinMs);
    const endResting = setTimeout(() => {
      server.closeIdleConnections();
      // Node does not count a connection on which nothing was ever sent as resting.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, restingMs);
    NetServer.prototype.close.call(server, () => {
      clearTimeout(cut);
      clearTimeout(endResting);
      resolve();
    });
  });

/** The sockets that are open now. */
const openSockets = (server: Server): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
};
