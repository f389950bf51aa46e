import { BACKWARDS, END } from '@eventstore/db-client';
import { createBatches } from '@waymark/timing/batches.ts';
import { type EventLog, LogUnavailable, type Revision } from '../event-log.ts';
import type { LogReads } from './calls.ts';
import { checkStream, fromStoredEvent, toSafeInteger } from './events.ts';
import { concurrentReadsMax, readsWaitingMax } from './limits.ts';

export type LastRevisions = Pick<EventLog, 'lastRevisions' | 'owners'> & { readonly lastOf: (stream: string) => Promise<Revision> };

/** Reads the last events of streams, a few at a time. A read that has not started yet serves every caller that needs it. */
export const createLastRevisions = (read: LogReads): LastRevisions => {
  const endsOf = createBatches(
    { keysMax: 1, inProgressMax: concurrentReadsMax, waitingMax: readsWaitingMax },
    async (streams: readonly string[]) =>
      new Map(await Promise.all(streams.map(async (stream) => [stream, await endOf(read, stream)] as const))),
    () => new LogUnavailable('Too many reads of the event log are waiting.'),
  );
  const readEnd = async (stream: string): Promise<End> => {
    checkStream(stream);
    return endsOf(stream);
  };
  const lastOf = async (stream: string): Promise<Revision> => revisionOf(await readEnd(stream));

  return {
    lastOf,
    lastRevisions: async (streams) => Promise.all(streams.map(lastOf)),
    owners: async (streams) => Promise.all(streams.map(async (stream) => ownerOf(await readEnd(stream)))),
  };
};

type End = Awaited<ReturnType<typeof endOf>>;

/** Returns the last event of a stream.
 * @throws LogUnavailable */
export const endOf = async (read: LogReads, stream: string) => {
  const [end] = await read((client) =>
    client.readStream(stream, { direction: BACKWARDS, fromRevision: END, maxCount: 1, requiresLeader: true }),
  );
  return end?.event;
};

const revisionOf = (end: End): Revision => (end === undefined ? 'none' : toSafeInteger(end.revision));

const ownerOf = (end: End): string | undefined => end && fromStoredEvent(end)?.envelope.account;
