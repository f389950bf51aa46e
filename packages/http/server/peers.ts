import type { Socket } from 'node:net';
import type { ClientAddresses } from './addresses.ts';
import type { Connection } from './connection.ts';

/** Limits the connections that one peer has open. */
export type PeerLimit = {
  /** False: the peer has as many connections as it may, and none that can be closed for this one. */
  readonly admit: (connection: Connection) => boolean;
};

export type PeerLimitOptions = Pick<ClientAddresses, 'ofPeer'> & {
  /** Connections of one peer. */
  readonly connectionsMax: number;
};

/** Connections over which a request with a known credential came. */
const ofKnownClients = new WeakSet<Socket>();

/** Keeps a connection from being closed for another one of its peer. */
export const keepForClient = (connection: Socket): void => void ofKnownClients.add(connection);

/** A connection above the limit takes the place of its peer's oldest one over which neither a known client nor a request in progress
 * speaks: so a client is not locked out by others behind the same address. Connections of trusted proxies are not limited. */
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
