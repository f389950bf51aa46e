import { tokenStream } from '@waymark/domain/streams.ts';
import { type EventLog, LogUnavailable, type Revision } from '@waymark/event-log/event-log.ts';
import { type BatchLimits, createBatches } from '@waymark/timing/batches.ts';
import { lookupStreamsMax, lookupsInProgressMax, lookupsWaitingMax } from '../limits.ts';

const limits: BatchLimits = { keysMax: lookupStreamsMax, inProgressMax: lookupsInProgressMax, waitingMax: lookupsWaitingMax };

/** Creates a function that returns the present last revision of a token's stream. All calls in one turn of the event loop share one query.
 * @throws LogUnavailable */
export const createSharedLookups = (log: EventLog): ((hash: string) => Promise<Revision>) => {
  const read = async (streams: readonly string[]): Promise<ReadonlyMap<string, Revision>> => {
    const revisions = await log.lastRevisions(streams);
    return new Map(streams.map((stream, index) => [stream, revisions[index] ?? 'none']));
  };
  const revisionOf = createBatches(limits, read, () => new LogUnavailable('Too many lookups of tokens are waiting.'));
  return async (hash) => (await revisionOf(tokenStream(hash))) ?? 'none';
};
