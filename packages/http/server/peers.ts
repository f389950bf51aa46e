import type { Socket } from 'node:net';
import type { ClientAddresses } from './addresses.ts';
import type { Connection } from './connection.ts';

/** Limits the connections that one peer may have open. */
export type PeerLimit = {
  /** Returns false if the peer has reached its limit and none of its connections can be closed for this one. */
  readonly admit: (connection: Connection) => boolean;
};

export type PeerLimitOptions = Pick<ClientAddresses, 'ofPeer'> & {
  /** Maximum number of connections of one peer. */
  readonly connectionsMax: number;
};

/** Connections that have carried a request with a known credential. */
const ofKnownClients = new WeakSet<Socket>();

/** Prevents a connection from being closed for another one of its peer. */
export const keepForClient = (connection: Socket): void => void ofKnownClients.add(connection);

/** Creates the limit. A connection above it replaces its peer's oldest connection that has no request in progress and has carried no known
 * credential. So a client is not locked out by other clients behind the same address. Connections of trusted proxies are not limited. */
export const createPeerLimit = ({ ofPeer, connectionsMax }: PeerLimitOptions): PeerLimit => {
  const open = new Map<string, Set<Connection>>();

  const register = (peer: string, connections: Set<Connection>, connection: Connection): void => {
    open.set(peer, connections.add(connection));
    connection.once('close', () => {
      connections.delete(connection);
      if (connections.size === 0) open.delete(peer);
    });
  };
  return {
    admit: (connection) => {
      const peer = ofPeer(connection);
      if (peer === undefined) return true;
      const connections = open.get(peer) ?? new Set();
      if (connections.size >= connectionsMax) {
        const dispensable = oldestDispensable(connections);
        if (dispensable === undefined) return false;
        dispensable.destroy();
        connections.delete(dispensable);
      }
      register(peer, connections, connection);
      return true;
    },
  };
};

const oldestDispensable = (connections: ReadonlySet<Connection>): Connection | undefined => {
  for (const connection of connections) if (!connection._httpMessage && !ofKnownClients.has(connection)) return connection;
  return undefined;
};
