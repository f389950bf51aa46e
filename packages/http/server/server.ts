import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  backlogMax,
  connectionsCheckIntervalMs,
  connectionsMax,
  headersBytesMax,
  headersTimeoutMs,
  keepAliveTimeoutMs,
  socketIdleMs,
} from '../limits.ts';
import { openConnections, refuse } from './connection.ts';
import { requireRate } from './minimum-rate.ts';
import type { PeerLimit } from './peers.ts';
import { serializeRequests } from './pipelining.ts';
import { shutDown } from './shutdown.ts';

// Imported by name, it would have all that it exports looked at, and with it a whole HTTP client and a WebSocket loaded: a tenth of a start.
const { createServer } = process.getBuiltinModule('node:http');

export type ListenOptions = {
  /** A connection on which nothing moves so long is cut, as is one that moves too little; 0: never, where answers may take their time. */
  readonly idleMs?: number;
  /** By default no peer has a limit of its own. */
  readonly peers?: PeerLimit;
};

/** A server that listens, and its base URL. */
export type Listening = {
  readonly url: string;
  readonly port: number;
  /** Answers whoever had connected or sent something before, takes no more connections, and cuts what has not finished by `withinMs`. */
  readonly close: (withinMs: number) => Promise<void>;
};

/** Listens with every limit of the edge in force. Rejects where the address is taken. */
export const listen = async (
  listener: RequestListener,
  host: string,
  port: number,
  { idleMs = socketIdleMs, peers }: ListenOptions = {},
): Promise<Listening> => {
  const serve = serializeRequests(listener);
  const server = createServer(
    {
      maxHeaderSize: headersBytesMax,
      headersTimeout: headersTimeoutMs,
      // How long a request may take follows from its size: see requireRate.
      requestTimeout: 0,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: connectionsCheckIntervalMs,
      noDelay: true,
      // The edge says it, in the contract's form.
      requireHostHeader: false,
    },
    serve,
  );
  server.maxConnections = connectionsMax;
  server.setTimeout(idleMs);
  server.on('clientError', refuse);
  // Node would answer an unknown `Expect` by itself, with a 417 that has no body; nobody has to know it.
  server.on('checkExpectation', serve);
  const connections = openConnections(server);
  if (idleMs > 0) requireRate(server, connections);
  if (peers) server.on('connection', (connection) => void (peers.admit(connection) || connection.destroy()));
  await bound(server, host, port);
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, port: address.port, close: (withinMs) => shutDown(server, connections, withinMs) };
};

const bound = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: backlogMax }, () => {
      server.off('error', reject);
      // A connection that could not be accepted is the client's to try again; it is no reason to end.
      server.on('error', () => undefined);
      resolve();
    });
  });
