import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type OpenAmounts, oneLess, oneMore, openAmounts } from '../counters/open-amounts.ts';
import type { ClientAddresses } from './addresses.ts';
import type { Connection } from './connection.ts';

/** Limits the connections that one peer may have open. */
export type PeerLimit = {
  /** Returns false if the peer has reached its limit and none of its connections can be closed for this one. */
  readonly admit: (connection: Connection) => boolean;
  /** Exempts the connection of a request from the limit if an edge sent the request; undefined where no edge has a key. */
  readonly exemptEdge: ((request: IncomingMessage) => void) | undefined;
};

export type PeerLimitOptions = Pick<ClientAddresses, 'ofPeer' | 'isFromEdge'> & {
  /** Maximum number of connections of one peer. */
  readonly connectionsMax: number;
  /** Counts the connections of all threads; by default, those of the caller alone. */
  readonly amounts?: OpenAmounts;
};

/** Connections that have carried a request with a known credential. */
const ofKnownClients = new WeakSet<Socket>();

/** Prevents a connection from being closed for another one of its peer. */
export const keepForClient = (connection: Socket): void => void ofKnownClients.add(connection);

/** Creates the limit. A connection above it replaces its peer's oldest connection in this thread that has no request in progress and has
 * carried no known credential. So a client is not locked out by other clients behind the same address. Connections of trusted proxies and
 * edges are not limited; that of an edge counts until its first request has arrived. */
export const createPeerLimit = ({ ofPeer, isFromEdge, connectionsMax, amounts = openAmounts() }: PeerLimitOptions): PeerLimit => {
  /** The connections of this thread. */
  const open = new Map<string, Set<Connection>>();
  /** Ends the count of a connection that is counted. */
  const leaves = new WeakMap<Socket, () => void>();

  const register = (peer: string, connections: Set<Connection>, connection: Connection): void => {
    open.set(peer, connections.add(connection));
    const leave = (): void => {
      leaves.delete(connection);
      // The count of a connection that was replaced is that of the other one.
      if (!connections.delete(connection)) return;
      amounts.change(keyOf(peer), oneLess);
      if (connections.size === 0) open.delete(peer);
    };
    leaves.set(connection, leave);
    connection.once('close', leave);
  };
  return {
    admit: (connection) => {
      const peer = ofPeer(connection);
      if (peer === undefined) return true;
      const connections = open.get(peer) ?? new Set();
      if (!amounts.change(keyOf(peer), oneMore(connectionsMax))) {
        const dispensable = oldestDispensable(connections);
        if (dispensable === undefined) return false;
        dispensable.destroy();
        connections.delete(dispensable);
      }
      register(peer, connections, connection);
      return true;
    },
    exemptEdge:
      isFromEdge &&
      ((request) => {
        const leave = leaves.get(request.socket);
        if (leave !== undefined && isFromEdge(request)) leave();
      }),
  };
};

const keyOf = (peer: string): string => `connections:${peer}`;

const oldestDispensable = (connections: ReadonlySet<Connection>): Connection | undefined => {
  for (const connection of connections) if (!connection._httpMessage && !ofKnownClients.has(connection)) return connection;
  return undefined;
};
