import type { EventStoreDBClient, StreamingRead } from '@eventstore/db-client';
import { LogUnavailable } from '../event-log.ts';
import type { Connection } from './connection.ts';

/** Nothing came for as long as a call may be silent. */
export class Silence extends Error {}

/** What kind of error the library says that one is; its classes are no help, for not all that it throws are of them. */
export const typeOf = (error: unknown): string | undefined => textOf(error, 'type');

export const textOf = (error: unknown, key: 'type' | 'message'): string | undefined => {
  const value: unknown = error instanceof Object ? Reflect.get(error, key) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** What a promise comes to, unless it takes too long: deadlines of the library do not hold everywhere. @throws Silence */
export const withTimeout = <Result>(ms: number, work: Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Silence(`No answer within ${ms} ms.`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });

/** Everything that a read gives. It has begun already, and an error that nobody listens for ends the process.
 * @throws Silence, what the library throws */
export const collect = <Item>(stream: StreamingRead<Item>, silenceMs: number): Promise<Item[]> =>
  new Promise((resolve, reject) => {
    const items: Item[] = [];
    const timer = setTimeout(() => {
      reject(new Silence(`Nothing came for ${silenceMs} ms.`));
      stream.cancel().catch(() => undefined);
    }, silenceMs);
    stream.on('error', (error: Error) => {
      clearTimeout(timer);
      reject(error);
    });
    stream.on('data', (item: Item) => {
      items.push(item);
      timer.refresh();
    });
    stream.on('end', () => {
      clearTimeout(timer);
      resolve(items);
    });
  });

/** Makes a read: what stands in the way of it is that the log cannot be reached, but for a stream that is not there or was deleted.
 * @throws LogUnavailable */
export const createLogReads =
  ({ client, suspect }: Connection, callMs: number) =>
  async <Item>(open: (client: EventStoreDBClient) => StreamingRead<Item>): Promise<Item[]> => {
    const using = client();
    try {
      return await collect(open(using), callMs);
    } catch (error) {
      if (nothingThere.includes(typeOf(error))) return [];
      if (error instanceof Silence) suspect(using);
      throw new LogUnavailable('The event log cannot be read.', { cause: error });
    }
  };
export type LogReads = ReturnType<typeof createLogReads>;

const nothingThere: readonly (string | undefined)[] = ['stream-not-found', 'stream-deleted'];
