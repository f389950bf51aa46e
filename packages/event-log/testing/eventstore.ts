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

/** Logs in the event store, ways to it, and the library's own client, each ended after the test that asked for it. */
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
    /** @returns the way, and the URL of the event store at the end of it */
    way: async (): Promise<{ readonly passage: FaultProxy; readonly url: string }> => {
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

/** What was told to a logger. */
export const listeningLogger = () => {
  const told: string[] = [];
  const tell = (_: object, message: string) => void told.push(message);
  return { told, logger: { debug: () => undefined, info: tell, warn: tell } };
};

/** Follows in the background; what was handed over of the streams of its own, by event id: others may be appending meanwhile. */
export const followed = (log: EventLog, after: Position) => {
  const [streams, ids, abort]: [Set<string>, string[], AbortController] = [new Set(), [], new AbortController()];
  const handle = async (batch: readonly RecordedEvent[]): Promise<void> =>
    void ids.push(...idsOf(batch.filter(({ stream }) => streams.has(stream))));
  const following = log.subscribe(after, handle, abort.signal);
  return {
    ids,
    /** A stream that is looked out for from now on. */
    stream: (): string => {
      const stream = newStream();
      streams.add(stream);
      return stream;
    },
    /** Waits until so many have come, then a while for more than that. */
    ended: async (count: number): Promise<string[]> => {
      await until(() => ids.length >= count);
      await pause(100);
      abort.abort();
      await following;
      return ids;
    },
  };
};

/** Waits until something holds; gives up with the test's own time limit. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await pause(10);
};
