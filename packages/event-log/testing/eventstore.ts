import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { createFaultProxy, type FaultProxy } from '@waymark/test-engines/fault-proxy.ts';
import { urlOf } from '@waymark/test-engines/test-engines.ts';
import type { EventLog, Position } from '../event-log.ts';
import { type Connection, openConnection } from '../eventstoredb/connection.ts';
import { type EventStoreLog, type EventStoreLogOptions, openEventStoreLog } from '../eventstoredb/event-log.ts';
import { clientMaker, parseUrl } from '../eventstoredb/url.ts';
import { idsOf, newStream } from './some-events.ts';

/** Provides logs in the event store, fault proxies before it, and the library's own client. Each is closed after the test that opened it. */
export const eventStore = () => {
  const ending: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });
  return {
    log: (options: Partial<EventStoreLogOptions> = {}): EventStoreLog => {
      const log = openEventStoreLog({ url: urlOf('eventstore'), ...options });
      ending.push(log.close);
      return log;
    },
    /** Opens a fault proxy.
     * @returns the proxy, and the URL of the event store behind it */
    proxied: async (): Promise<{ readonly passage: FaultProxy; readonly url: string }> => {
      const [host = { address: '', port: 0 }] = parseUrl(urlOf('eventstore')).hosts;
      const passage = await createFaultProxy({ host: host.address, port: host.port });
      ending.push(passage.close);
      return { passage, url: `esdb://127.0.0.1:${passage.port}?tls=false` };
    },
    connection: (url = urlOf('eventstore')): Connection => {
      const connection = openConnection(clientMaker(parseUrl(url), undefined), 5_000);
      ending.push(() => connection.close(async () => {}));
      return connection;
    },
    library: (): EventStoreDBClient => {
      const client = EventStoreDBClient.connectionString(urlOf('eventstore'));
      ending.push(client.dispose);
      return client;
    },
  };
};

/** Creates a logger that collects its messages. */
export const listeningLogger = () => {
  const messages: string[] = [];
  const tell = (_: object, message: string) => void messages.push(message);
  return { messages, logger: { debug: () => undefined, info: tell, warn: tell } };
};

/** Subscribes in the background, and collects the event ids of its own streams only: other tests may append meanwhile. */
export const createSubscriber = (log: EventLog, after: Position) => {
  const [streams, ids, abort]: [Set<string>, string[], AbortController] = [new Set(), [], new AbortController()];
  const handle = async (batch: readonly RecordedEvent[]): Promise<void> =>
    void ids.push(...idsOf(batch.filter(({ stream }) => streams.has(stream))));
  const following = log.subscribe(after, handle, abort.signal);
  return {
    ids,
    /** Returns a new stream whose events are collected from now on. */
    stream: (): string => {
      const stream = newStream();
      streams.add(stream);
      return stream;
    },
    /** Waits until `count` events have come, then a while for further ones. */
    ended: async (count: number): Promise<string[]> => {
      await until(() => ids.length >= count);
      await pause(100);
      abort.abort();
      await following;
      return ids;
    },
  };
};

/** Waits until a condition holds. Only the test's own time limit ends the wait otherwise. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await pause(10);
};
