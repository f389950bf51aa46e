import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { waitingRequestsMax } from '../limits.ts';
import type { Connection } from './connection.ts';

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Answers the requests of each connection one at a time. A request that arrives before the previous response is written out waits for it,
 * and nothing more is read from the connection meanwhile. So a connection holds the bytes of one response only. */
export const serializeRequests = (listener: RequestListener): RequestListener => {
  const queues = new WeakMap<Connection, Exchange[]>();
  /** Number of waiting requests on all connections. */
  let waiting = 0;

  const queueOf = (connection: Connection): Exchange[] => {
    const known = queues.get(connection);
    if (known) return known;
    const queue: Exchange[] = [];
    queues.set(connection, queue);
    // Node resumes reading on its own, after it has written something or when a body is read.
    connection.resume = () => {
      const isLast = connection._httpMessage?.shouldKeepAlive === false;
      if (isLast) discard(queue);
      else if (queue.length > 0) return connection;
      return Socket.prototype.resume.call(connection);
    };
    return queue;
  };

  /** Discards the requests behind the last response of a connection: the client must send them again. */
  const discard = (queue: Exchange[]): void => {
    waiting -= queue.length;
    queue.length = 0;
  };

  /** Starts the next request. Called when a response is written out, or will never be. */
  const next = (connection: Connection, queue: Exchange[]): void => {
    const exchange = queue.shift();
    if (exchange === undefined) return;
    waiting -= 1;
    const { request, response } = exchange;
    // The previous response was the last one on this connection.
    const isOver = connection._httpMessage !== response || connection.destroyed;
    if (isOver) discard(queue);
    else if (queue.length > 0) response.once('close', () => next(connection, queue));
    else connection.resume();
    if (!isOver) listener(request, response);
  };

  const wait = (connection: Connection, current: ServerResponse, exchange: Exchange): void => {
    const queue = queueOf(connection);
    const before = queue.at(-1)?.response ?? current;
    if (waiting >= waitingRequestsMax) before.shouldKeepAlive = false;
    // The previous request is the last one that is answered.
    if (!before.shouldKeepAlive) return;
    queue.push(exchange);
    waiting += 1;
    if (queue.length > 1) return;
    current.once('close', () => next(connection, queue));
    connection.pause();
  };

  return (request, response) => {
    const connection: Connection = request.socket;
    const current = connection._httpMessage;
    if (!current || current === response) listener(request, response);
    else wait(connection, current, { request, response });
  };
};
