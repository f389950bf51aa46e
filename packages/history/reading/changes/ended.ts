import { resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryReads } from '../../history.ts';
import { happeningsAt, membersOf } from '../../sets.ts';
import { endedMax, endedReads } from './limits.ts';

/** How many things of one kind a deletion ended: at least so many, and exactly so many if the count is complete. */
type AtLeast = { readonly at_least: number; readonly complete: boolean };

/** Returns what a deletion ended, by kind: of a pinpoint, its memberships and its events; of a list, the memberships of its pinpoints. What was
 * erased is not counted. Undefined for an object of another kind.
 * @param at the position of the deletion */
export const endedBy = async (
  reads: HistoryReads,
  stream: string,
  at: Position,
): Promise<Readonly<Record<string, AtLeast>> | undefined> => {
  const { resource, id = 0 } = resourceOfStream(stream) ?? {};
  if (resource === 'list') return { pinpoints: await pinpointsIn(reads, stream, membersOf(id), at - 1) };
  if (resource !== 'pinpoint') return undefined;
  return { lists: await listsOf(reads, stream, at - 1), events: await eventsAt(reads, happeningsAt(id), at - 1) };
};

const pinpointsIn = async (reads: HistoryReads, list: string, set: string, at: Position): Promise<AtLeast> => {
  if ((await seen(reads, [list], at)) === 0) return { at_least: 0, complete: false };
  const { items, isAll } = await itemsOf(reads, set, at);
  return { at_least: items.length, complete: isAll };
};

const listsOf = async (reads: HistoryReads, pinpoint: string, at: Position): Promise<AtLeast> => {
  const { sets, isAll } = await reads.setsAt(pinpoint, at, endedReads);
  return { at_least: await seen(reads, sets.slice(0, endedMax), at), complete: isAll && sets.length <= endedMax };
};

const eventsAt = async (reads: HistoryReads, set: string, at: Position): Promise<AtLeast> => {
  const { items, isAll } = await itemsOf(reads, set, at);
  const streams = items.map(({ item }) => resourceStream('happening', item));
  return { at_least: await seen(reads, streams, at), complete: isAll };
};

const itemsOf = async (reads: HistoryReads, set: string, at: Position) => {
  const { items, next } = await reads.itemsAt(set, { at, beyond: 0, direction: 'forward', items: endedMax, reads: endedReads });
  return { items, isAll: next === null };
};

/** Returns the number of objects that were there at a position, and whose content of that time was not erased since. */
const seen = async (reads: HistoryReads, streams: readonly string[], at: Position): Promise<number> => {
  const last = streams.length === 0 ? [] : [...(await reads.lastEntries(streams, at)).values()];
  const marks = await Promise.all(last.map(({ stream }) => reads.erased(stream)));
  return last.filter(({ present, revision }, index) => present && revision >= (marks[index]?.revision ?? 0)).length;
};
