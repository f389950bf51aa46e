import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { backlogMax, firstArrivalMs, idleArrivalMs } from '../limits.ts';
import type { Connection } from './connection.ts';

/** Answers what was sent before the call, accepts no more connections, and closes what has not finished by `withinMs`. */
export const shutDown = async (server: Server, connections: ReadonlySet<Connection>, withinMs: number): Promise<void> => {
  const cut = setTimeout(() => {
    for (const connection of connections) connection.destroy();
  }, withinMs);
  await acceptWaiting(server);
  // The `close` of the TCP server, because that of the HTTP server ends idle connections at once.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  void endIdleConnections(connections);
  await closed;
  clearTimeout(cut);
};

/** Accepts the connections that wait to be accepted. Closing the address resets them, whatever was sent over them. */
const acceptWaiting = async (server: Server): Promise<void> => {
  let accepted = 0;
  const count = (): void => {
    accepted += 1;
  };
  server.on('connection', count);
  await turn();
  let before: number;
  do {
    before = accepted;
    // Node accepts one connection per turn of its event loop.
    await turn();
  } while (accepted > before && accepted < backlogMax);
  server.off('connection', count);
};

/** Ends each connection that has received nothing for a moment and has nothing to answer. The other connections end with their responses. */
const endIdleConnections = async (connections: ReadonlySet<Connection>): Promise<void> => {
  const firstUntilMs = performance.now() + firstArrivalMs;
  let before = new Map<Connection, number>();
  while (connections.size > 0) {
    // After a stall, timers run before the data that arrived meanwhile is read. After a whole turn it has been read.
    await turn();
    await turn();
    const now = new Map(Array.from(connections, (connection) => [connection, connection.bytesRead]));
    const isFirstAwaited = performance.now() < firstUntilMs;
    for (const [connection, bytesRead] of now) {
      if (bytesRead === 0 && isFirstAwaited) continue;
      if (isIdle(connection) && before.get(connection) === bytesRead) connection.destroy();
    }
    before = now;
    await pause(idleArrivalMs, undefined, { ref: false });
  }
};

/** Returns whether a connection has no response in progress, and no rest of one to send. */
const isIdle = ({ _httpMessage, writableEnded, writableFinished }: Connection): boolean =>
  !_httpMessage && writableEnded === writableFinished;
