import { jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { LogUnavailable } from '../event-log.ts';
import { type LogReads, Silence, typeOf, withTimeout } from './calls.ts';
import type { Connection } from './connection.ts';
import { checkStream } from './events.ts';
import { endOf } from './last-revisions.ts';

/** How often it is tried anew because somebody else changes the stream's metadata. */
const triesMax = 10;

/** Drops what a stream has before a revision. Reads of the stream begin there from now on; the octets go, and `follow` passes over them, with
 * the next scavenge of a completed chunk. What was dropped stays dropped.
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
    throw new LogUnavailable('The stream cannot be truncated: its metadata is being changed all the time.');
  };
};

/** What a stream has before this revision was dropped; 0 where nothing was. @throws LogUnavailable */
export const droppedBefore = async (read: LogReads, stream: string): Promise<number> =>
  droppedIn(metadataIn((await endOf(read, metastreamOf(stream)))?.data));

/** The library's own `getStreamMetadata` gives a position for the revision. */
const metastreamOf = (stream: string): string => `$$${stream}`;
const droppedIn = (metadata: Readonly<Record<string, unknown>>): number => Number(metadata['$tb'] ?? 0);
const metadataIn = (data: unknown): Readonly<Record<string, unknown>> => (data instanceof Object ? { ...data } : {});
