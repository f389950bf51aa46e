import { allocatorStream, awaitByResourceKind, type ResourceKind } from '@waymark/domain/streams.ts';
import { LogUnavailable } from '../event-log.ts';
import type { HighestIds } from '../facts/facts.ts';
import type { KnownLog } from '../facts/known-log.ts';
import { reservedThrough } from '../id-allocator.ts';
import type { LogReads } from './calls.ts';
import { fromStoredEvent, toSafeInteger } from './events.ts';
import type { Identity } from './identity.ts';
import { endOf } from './last-revisions.ts';
import { droppedBefore } from './truncate.ts';

/** Creates the reads of a log's facts.
 * @param identity of the log that is read */
export const knownLog = (
  read: LogReads,
  { end, incarnation, formerNames }: Pick<Identity, 'end' | 'incarnation' | 'formerNames'>,
): KnownLog => ({
  facts: async () => {
    const [last, name, ids] = await Promise.all([end(), incarnation(), reservedIds(read)]);
    if (name === undefined) throw new LogUnavailable('The event log has no name yet.');
    const { position: head = 0, id: event = '', stream = '', revision = 0 } = last ?? {};
    return { incarnation: name, head, event, stream, revision, ids };
  },
  formerNames,
  eventAt: async (stream, revision) => {
    const fromRevision = BigInt(revision);
    const [found] = await read((client) => client.readStream(stream, { fromRevision, maxCount: 1, requiresLeader: true }));
    if (found?.event && toSafeInteger(found.event.revision) === revision) return found.event.id;
    // The log had an event there if the stream continues after it or was truncated.
    const wasDropped = found?.event !== undefined || (await droppedBefore(read, stream)) > revision;
    return wasDropped ? undefined : '';
  },
});

const reservedIds = (read: LogReads): Promise<HighestIds> => {
  const reserved = async (resource: ResourceKind): Promise<number> => {
    const last = await endOf(read, allocatorStream(resource));
    const event = last && fromStoredEvent(last);
    return event === undefined ? 0 : reservedThrough(event);
  };
  return awaitByResourceKind(reserved);
};
