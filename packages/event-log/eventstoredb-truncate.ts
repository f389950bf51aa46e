import { BACKWARDS, END, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { LogUnavailable } from './event-log.ts';
import { type Reading, Silence, within } from './eventstoredb-calls.ts';
import type { Connection } from './eventstoredb-connection.ts';
import { checkStream } from './eventstoredb-events.ts';

/** Drops what a stream has before a revision. Reads of the stream begin there from now on; the octets go, and `follow` passes over them, with
 * the next scavenge of a completed chunk. What was dropped stays dropped.
 * @throws LogUnavailable */
export const truncating =
  (connection: Connection, read: Reading, callMs: number) =>
  async (stream: string, before: number): Promise<void> => {
    checkStream(stream);
    const metastream = `$$${stream}`;
    // The library's own `getStreamMetadata` gives a position for the revision.
    const [last] = await read((client) =>
      client.readStream(metastream, { direction: BACKWARDS, fromRevision: END, maxCount: 1, requiresLeader: true }),
    );
    const metadata = metadataIn(last?.event?.data);
    if (Number(metadata['$tb'] ?? 0) >= before) return;
    const expectedRevision = last?.event?.revision ?? NO_STREAM;
    const client = connection.client();
    const event = jsonEvent({ type: '$metadata', data: { ...metadata, $tb: before } });
    try {
      await within(callMs, client.appendToStream(metastream, event, { expectedRevision, requiresLeader: true }));
    } catch (error) {
      if (error instanceof Silence) connection.suspect(client);
      throw new LogUnavailable('The stream cannot be truncated.', { cause: error });
    }
  };

const metadataIn = (data: unknown): Readonly<Record<string, unknown>> => (data instanceof Object ? { ...data } : {});
