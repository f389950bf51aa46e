import type { EventStoreDBClient, StreamingRead } from '@eventstore/db-client';
import { startCountdown, withDeadline } from '@waymark/timing/deadline.ts';
import { LogUnavailable } from '../event-log.ts';
import type { Connection } from './connection.ts';

/** The server sent nothing for as long as a call may be silent. */
export class Silence extends Error {}

/** Returns the kind of an error as the library names it. The classes of the library do not help: it also throws errors of other classes. */
export const typeOf = (error: unknown): string | undefined => textOf(error, 'type');

export const textOf = (error: unknown, key: 'type' | 'message'): string | undefined => {
  const value: unknown = error instanceof Object ? Reflect.get(error, key) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** Returns the result of a promise, or rejects where it takes too long: the library does not enforce its own deadlines everywhere.
 * @throws Silence */
export const withTimeout = <Result>(ms: number, work: Promise<Result>): Promise<Result> =>
  withDeadline(ms, work, () => {
    throw new Silence(`No answer within ${ms} ms.`);
  });

/** Returns everything that a read yields. The read has started already, and an error event without a listener ends the process.
 * @throws Silence, the errors of the library */
export const collect = <Item>(stream: StreamingRead<Item>, silenceMs: number): Promise<Item[]> =>
  new Promise((resolve, reject) => {
    const items: Item[] = [];
    const silence = startCountdown(silenceMs, () => {
      reject(new Silence(`No data for ${silenceMs} ms.`));
      stream.cancel().catch(() => undefined);
    });
    stream.on('error', (error: Error) => {
      silence.stop();
      reject(error);
    });
    stream.on('data', (item: Item) => {
      items.push(item);
      silence.restart();
    });
    stream.on('end', () => {
      silence.stop();
      resolve(items);
    });
  });

/** Returns a function that reads from the server. Every failed read means that the log cannot be reached. The exception is a stream that is
 * missing or deleted: it is read as empty.
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
