import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { backlogMax, restingMs } from '../limits.ts';
import type { Connection } from './connection.ts';

/** Answers what was sent before it was called, takes no more connections, and cuts what has not finished by `withinMs`. */
export const shutDown = async (server: Server, connections: ReadonlySet<Connection>, withinMs: number): Promise<void> => {
  const cut = setTimeout(() => {
    for (const connection of connections) connection.destroy();
  }, withinMs);
  await acceptWaiting(server);
  // Not HTTP's own: that one ends at once what rests.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  void endResting(connections);
  await closed;
  clearTimeout(cut);
};

/** Accepts the connections that wait for it: closing the address resets them, whatever was sent over them. */
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
    // In each turn of its loop, Node accepts one.
    await turn();
  } while (accepted > before && accepted < backlogMax);
  server.off('connection', count);
};

/** Ends each connection over which nothing has come for a moment and nothing is to be answered; the others end with their answers. */
const endResting = async (connections: ReadonlySet<Connection>): Promise<void> => {
  let before = new Map<Connection, number>();
  while (connections.size > 0) {
    // After a stall, timers run before what came meanwhile is read: it has been after a whole turn.
    await turn();
    await turn();
    const now = new Map(Array.from(connections, (connection) => [connection, connection.bytesRead]));
    for (const [connection, bytesRead] of now) if (isIdle(connection) && before.get(connection) === bytesRead) connection.destroy();
    before = now;
    await pause(restingMs, undefined, { ref: false });
  }
};

/** Neither an answer nor the rest of one is on its way. */
const isIdle = ({ _httpMessage, writableEnded, writableFinished }: Connection): boolean =>
  !_httpMessage && writableEnded === writableFinished;
