import type { IncomingMessage, Server } from 'node:http';
import { connectionsCheckIntervalMs, transferBytesPerSecondMin, transferWindowMs } from '../limits.ts';
import { requestTooSlow } from '../request/request-body.ts';
import { type Connection, refuseInvalidHttp } from './connection.ts';

/** One direction of a connection in the current window: the number of checks, and the bytes that were transferred before the window. */
type Window = { checks: number; bytes: number };
type Transfer = { request: IncomingMessage | undefined; readonly received: Window; readonly sent: Window };

const windowChecks = Math.ceil(transferWindowMs / connectionsCheckIntervalMs);
const windowBytes = (transferBytesPerSecondMin * transferWindowMs) / 1_000;

/** Ends each connection that is slower than the minimum rate: while the process reads a body that is not complete, or while bytes that it
 * wrote wait for the client. Time is counted in checks, so that a process that was stalled does not disconnect its clients. */
export const enforceMinimumRate = (server: Server, connections: ReadonlySet<Connection>): void => {
  const transfers = new WeakMap<Connection, Transfer>();
  const transferOf = (connection: Connection): Transfer => {
    const known = transfers.get(connection) ?? { request: undefined, received: { checks: 0, bytes: 0 }, sent: { checks: 0, bytes: 0 } };
    transfers.set(connection, known);
    return known;
  };
  const begin = (request: IncomingMessage): void => {
    transferOf(request.socket).request = request;
  };
  server.on('request', begin);
  server.on('checkExpectation', begin);
  const timer = setInterval(() => {
    for (const connection of connections) checkRate(connection, transferOf(connection));
  }, connectionsCheckIntervalMs);
  timer.unref();
  server.once('close', () => clearInterval(timer));
};

const checkRate = (connection: Connection, { request, received, sent }: Transfer): void => {
  // The connection has had its last response. Other limits end it.
  if (connection.writableEnded) return;
  const isReceiving = request !== undefined && !request.complete && request.readableFlowing === true;
  if (isSlow(received, isReceiving, connection.bytesRead)) endSender(connection, request as IncomingMessage);
  const { bytesWritten = 0, writeQueueSize = 0 } = connection._handle ?? {};
  if (isSlow(sent, writeQueueSize > 0, bytesWritten - writeQueueSize) && !isEventStream(connection)) connection.destroy();
};

/** Returns whether the transfer was too slow. It decides once per window, and then starts the next window. */
const isSlow = (window: Window, isMeasured: boolean, bytes: number): boolean => {
  if (isMeasured && window.checks < windowChecks) {
    if (window.checks === 0) window.bytes = bytes;
    window.checks += 1;
    return false;
  }
  const wasSlow = isMeasured && bytes - window.bytes < windowBytes;
  window.checks = 0;
  return wasSlow;
};

/** Ends a client that sends too slowly. The reader of the body answers. Without a reader, the response is sent here, unless it was sent
 * before. */
const endSender = (connection: Connection, request: IncomingMessage): void => {
  if (request.emit(requestTooSlow)) return;
  if (connection._httpMessage) refuseInvalidHttp(Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), connection);
  else connection.destroy();
};

const isEventStream = ({ _httpMessage }: Connection): boolean => /^content-type: *text\/event-stream/im.test(_httpMessage?._header ?? '');
