import { jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { LogUnavailable } from '../event-log.ts';
import { type LogReads, Silence, typeOf, withTimeout } from './calls.ts';
import type { Connection } from './connection.ts';
import { checkStream } from './events.ts';
import { endOf } from './last-revisions.ts';

/** How often a truncation is retried because another process changes the stream's metadata. */
const triesMax = 10;

/** Returns a function that drops the events of a stream before a revision. Later reads of the stream begin there. The next scavenge of a
 * completed chunk removes the bytes; from then on `subscribe` skips the events. Dropped events stay dropped.
 * @throws LogUnavailable */
export const createTruncate = (connection: Connection, read: LogReads, callMs: number) => {
  const once = async (stream: string, before: number): Promise<'done' | 'again'> => {
    const last = await endOf(read, metastreamOf(stream));
    const metadata = metadataIn(last?.data);
    if (droppedIn(metadata) >= before) return 'done';
    const expectedRevision = last?.revision ?? NO_STREAM;
    const client = connection.client();
    const event = jsonEvent({ type: '$metadata', data: { ...metadata, $tb: before } });
    try {
      await withTimeout(callMs, client.appendToStream(metastreamOf(stream), event, { expectedRevision, requiresLeader: true }));
      return 'done';
    } catch (error) {
      if (typeOf(error) === 'wrong-expected-version') return 'again';
      if (error instanceof Silence) connection.suspect(client);
      throw new LogUnavailable('The stream cannot be truncated.', { cause: error });
    }
  };
  return async (stream: string, before: number): Promise<void> => {
    checkStream(stream);
    for (let tries = 0; tries < triesMax; tries += 1) if ((await once(stream, before)) === 'done') return;
    throw new LogUnavailable('The stream cannot be truncated: its metadata changed during every try.');
  };
};

/** Returns the revision before which the events of a stream were dropped; 0 where none were.
 * @throws LogUnavailable */
export const droppedBefore = async (read: LogReads, stream: string): Promise<number> =>
  droppedIn(metadataIn((await endOf(read, metastreamOf(stream)))?.data));

/** Returns the name of the stream's metadata stream. The library's own `getStreamMetadata` returns a position in place of the revision. */
const metastreamOf = (stream: string): string => `$$${stream}`;
const droppedIn = (metadata: Readonly<Record<string, unknown>>): number => Number(metadata['$tb'] ?? 0);
const metadataIn = (data: unknown): Readonly<Record<string, unknown>> => (data instanceof Object ? { ...data } : {});
