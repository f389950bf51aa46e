import type { EventStoreDBClient } from '@eventstore/db-client';
import { withDeadline } from '@waymark/timing/deadline.ts';
import { LogUnavailable } from '../event-log.ts';

/** The logger of the log's adapter. A logger of pino fits. */
export type LogLogger = {
  readonly debug: (fields: object, message: string) => void;
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
};

/** The connection to the server, with its current client. */
export type Connection = {
  /** @throws LogUnavailable once it is closed */
  readonly client: () => EventStoreDBClient;
  /** Reports that a call waited for this client in vain. The client may hang: it does so when the server ends its stream of appends without
   * an error, or never reports its features. The next call gets a new client; calls in progress continue for as long as they may take. */
  readonly suspect: (client: EventStoreDBClient) => void;
  /** Aborts when the connection is closed. */
  readonly closing: AbortSignal;
  /** Accepts no more calls, waits for the appends in progress, and closes what is open. */
  readonly close: (idle: () => Promise<void>) => Promise<void>;
};

/** Opens a connection.
 * @param callMs how long a call may take, in milliseconds */
export const openConnection = (makeClient: () => EventStoreDBClient, callMs: number): Connection => {
  const closing = new AbortController();
  const retired = new Map<EventStoreDBClient, NodeJS.Timeout>();
  let current = makeClient();
  return {
    client: () => {
      if (closing.signal.aborted) throw new LogUnavailable('The event log is closed.');
      return current;
    },
    suspect: (client) => {
      if (client !== current || closing.signal.aborted) return;
      current = makeClient();
      const timer = setTimeout(() => {
        retired.delete(client);
        void closeClient(client, callMs);
      }, 2 * callMs);
      retired.set(client, timer.unref());
    },
    closing: closing.signal,
    close: async (idle) => {
      if (closing.signal.aborted) return;
      closing.abort();
      await idle();
      for (const timer of retired.values()) clearTimeout(timer);
      await Promise.all([current, ...retired.keys()].map((client) => closeClient(client, callMs)));
    },
  };
};

/** Closes what a client has open. The library ends streams, but leaves the channel beneath them open. It may also wait forever for a stream
 * that has ended already. */
const closeClient = async (client: EventStoreDBClient, callMs: number): Promise<void> => {
  await withDeadline(callMs, Promise.allSettled([client.dispose()]), () => undefined);
  await closeChannel(client).catch(() => undefined);
};

/** Closes the client's channel. The library's types declare `getChannel` as protected. */
const closeChannel = async (client: EventStoreDBClient): Promise<void> => {
  const getChannel: unknown = Reflect.get(client, 'getChannel');
  if (typeof getChannel !== 'function') return;
  const channel: unknown = await getChannel();
  const close: unknown = channel instanceof Object ? Reflect.get(channel, 'close') : undefined;
  if (typeof close === 'function') close.call(channel);
};
