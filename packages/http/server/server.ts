import type { RequestListener, Server } from 'node:http';
import type { AddressInfo, ListenOptions as ListenAddress } from 'node:net';
import { createTotal, oneLess, oneMore, type Total } from '../counters/open-amounts.ts';
import {
  backlogMax,
  connectionsCheckIntervalMs,
  connectionsMax,
  headersBytesMax,
  headersTimeoutMs,
  keepAliveTimeoutMs,
  socketIdleMs,
} from '../limits.ts';
import { openConnections, refuseInvalidHttp } from './connection.ts';
import { enforceMinimumRate } from './minimum-rate.ts';
import type { PeerLimit } from './peers.ts';
import { serializeRequests } from './pipelining.ts';
import { shutDown } from './shutdown.ts';

// A named import would read all exports of `node:http`, which loads a whole HTTP client and a WebSocket: a tenth of the start time.
const { createServer } = process.getBuiltinModule('node:http');

export type ListenOptions = {
  /** A connection without any transfer for this time is closed, as is a connection below the minimum rate. 0: never, for servers whose
   * responses may take longer. */
  readonly idleMs?: number;
  /** By default, a peer has no limit of its own. */
  readonly peers?: PeerLimit;
  /** Counts the connections of all threads; by default, those of this server alone. */
  readonly connections?: Total;
  /** True if several threads listen on the same port: the system then gives each of them some of the connections. */
  readonly reusePort?: boolean;
};

/** A listening server, with its base URL. */
export type Listening = {
  readonly url: string;
  readonly port: number;
  /** Answers clients that had connected or sent something before, accepts no more connections, and closes what has not finished by
   * `withinMs`. */
  readonly close: (withinMs: number) => Promise<void>;
};

/** Listens with every limit of the HTTP layer in force. Rejects if the address is in use. */
export const listen = async (
  listener: RequestListener,
  host: string,
  port: number,
  { idleMs = socketIdleMs, peers, connections: total = createTotal(), reusePort = false }: ListenOptions = {},
): Promise<Listening> => {
  const serve = exemptingEdges(peers?.exemptEdge, serializeRequests(listener));
  const server = createServer(
    {
      maxHeaderSize: headersBytesMax,
      headersTimeout: headersTimeoutMs,
      // The time that a request may take depends on its size: see enforceMinimumRate.
      requestTimeout: 0,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: connectionsCheckIntervalMs,
      noDelay: true,
      // The request lifecycle refuses a missing Host, in the form of the API contract.
      requireHostHeader: false,
    },
    serve,
  );
  server.setTimeout(idleMs);
  server.on('clientError', refuseInvalidHttp);
  // Node would answer an unknown `Expect` itself, with a 417 without a body. A server may ignore the header.
  server.on('checkExpectation', serve);
  const connections = openConnections(server);
  if (idleMs > 0) enforceMinimumRate(server, connections);
  limitConnections(server, total, peers);
  await bindAddress(server, { host, port, reusePort, backlog: backlogMax });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, port: address.port, close: (withinMs) => shutDown(server, connections, withinMs) };
};

/** Returns a listener that exempts the connections of edges from the limit of their peer, before it serves their requests. */
const exemptingEdges = (exempt: PeerLimit['exemptEdge'] | undefined, serve: RequestListener): RequestListener =>
  exempt === undefined
    ? serve
    : (request, response) => {
        exempt(request);
        serve(request, response);
      };

/** Closes a connection above the limits as soon as it is accepted. */
const limitConnections = (server: Server, total: Total, peers: PeerLimit | undefined): void => {
  server.on('connection', (connection) => {
    if (!total.change(oneMore(connectionsMax))) {
      connection.destroy();
      return;
    }
    connection.once('close', () => total.change(oneLess));
    if (peers?.admit(connection) === false) connection.destroy();
  });
};

const bindAddress = (server: Server, address: ListenAddress): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      // If a connection could not be accepted, the client has to try again. The server does not end because of it.
      server.on('error', () => undefined);
      resolve();
    });
  });
