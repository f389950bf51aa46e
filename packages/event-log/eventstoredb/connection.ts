import type { EventStoreDBClient } from '@eventstore/db-client';
import { LogUnavailable } from '../event-log.ts';

/** What the log's adapter tells of itself: pino's is one. */
export type LogLogger = {
  readonly debug: (fields: object, message: string) => void;
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
};

/** The client that counts at the moment. */
export type Connection = {
  /** @throws LogUnavailable once it is closed */
  readonly client: () => EventStoreDBClient;
  /** Somebody has waited in vain on this client: it may hang, as it does when the server ends its stream of appends with nothing wrong, or
   * never says what it can do. Who comes next gets another one; calls under way go on for as long as they may take. */
  readonly suspect: (client: EventStoreDBClient) => void;
  /** Aborts when it is closed. */
  readonly closing: AbortSignal;
  /** Takes no more calls, waits for what is still on its way, and ends what is open. */
  readonly close: (idle: () => Promise<void>) => Promise<void>;
};

/** @param callMs how long a call may take */
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
        void ended(client, callMs);
      }, 2 * callMs);
      retired.set(client, timer.unref());
    },
    closing: closing.signal,
    close: async (idle) => {
      if (closing.signal.aborted) return;
      closing.abort();
      await idle();
      for (const timer of retired.values()) clearTimeout(timer);
      await Promise.all([current, ...retired.keys()].map((client) => ended(client, callMs)));
    },
  };
};

/** Ends what a client has open. The library ends streams, but leaves the channel beneath them open, and may wait for ever for a stream
 * that has ended already. */
const ended = async (client: EventStoreDBClient, callMs: number): Promise<void> => {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, callMs);
  await Promise.race([Promise.allSettled([client.dispose()]), late.promise]);
  clearTimeout(timer);
  await closeChannel(client).catch(() => undefined);
};

/** Its types call `getChannel` protected. */
const closeChannel = async (client: EventStoreDBClient): Promise<void> => {
  const getChannel: unknown = Reflect.get(client, 'getChannel');
  if (typeof getChannel !== 'function') return;
  const channel: unknown = await getChannel();
  const close: unknown = channel instanceof Object ? Reflect.get(channel, 'close') : undefined;
  if (typeof close === 'function') close.call(channel);
};
