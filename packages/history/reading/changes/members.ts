import { resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryEntry, Interval } from '../../entries.ts';
import type { HistoryReads } from '../../history.ts';
import type { ChangePlace } from '../questions.ts';
import { type Changed, type ChangedPart, type Compared, partOf } from './changed.ts';
import type { EntrySearch } from './entry-walk.ts';

/** The members of a list that are compared. `set`: their set, which is named as the list's stream. */
export type ComparedMembers = Compared & { readonly set: string };

/** Creates the search for the members of a list that differ. */
export const memberSearch = (reads: HistoryReads, compared: ComparedMembers): EntrySearch => ({
  compared,
  named: async (entries) => {
    const members = await membersNamed(reads, compared.set, entries);
    return entries.flatMap((entry) =>
      (members.get(entry.position) ?? []).map((id) => ({
        stream: resourceStream('pinpoint', id),
        place: { position: entry.position, id },
      })),
    );
  },
  differing: async (candidates) => {
    const ids = [...new Set(candidates.map(({ place }) => place.id))];
    const was = await reads.intervalsAt(compared.set, ids, compared.from);
    return changedMembers(reads, compared, was, await reads.intervalsAt(compared.set, ids, compared.to));
  },
});

/** Returns the ids of the pinpoints that entries are about, or that those of the list name, by position. */
const membersNamed = async (reads: HistoryReads, list: string, entries: readonly HistoryEntry[]) => {
  const ofList = entries.filter(({ stream }) => stream === list);
  const revisions = ofList.map(({ revision }) => revision);
  const values = revisions.length === 0 ? undefined : await reads.values(list, revisions);
  const named = new Map<Position, readonly number[]>();
  for (const { position, revision } of ofList) {
    const { added = [], removed = [] } = values?.get(revision) ?? {};
    named.set(position, [...new Set([...(added as number[]), ...(removed as number[])])]);
  }
  for (const { stream, position } of entries) {
    const { resource, id } = resourceOfStream(stream) ?? {};
    if (resource === 'pinpoint' && id !== undefined) named.set(position, [id]);
  }
  return named;
};

/** Returns the members that differ, in a list with few members: compares each of them. Undefined if there are too many. */
export const fewChangedMembers = async (
  reads: HistoryReads,
  compared: ComparedMembers,
  { after, limit, membersMax }: { readonly after: ChangePlace; readonly limit: number; readonly membersMax: number },
): Promise<ChangedPart | undefined> => {
  const was = await fewMembers(reads, compared.set, compared.from, membersMax);
  const is = was && (await fewMembers(reads, compared.set, compared.to, membersMax));
  return is && partOf(await changedMembers(reads, compared, was, is), after, limit);
};

type Members = ReadonlyMap<number, Interval>;

/** Returns the members of a list at a position; undefined if there are too many, or if finding them takes too long. */
const fewMembers = async (reads: HistoryReads, set: string, at: Position, membersMax: number): Promise<Members | undefined> => {
  const walk = { at, beyond: 0, direction: 'forward', items: membersMax + 1, reads: 4 * (membersMax + 1) } as const;
  const { items, next } = at === 0 ? { items: [], next: null } : await reads.itemsAt(set, walk);
  return next === null ? new Map(items.map((interval) => [interval.item, interval])) : undefined;
};

/** Returns the members that differ. A member that came or left is at the event that let it do so, or at a later change of the pinpoint while it
 * is a member. One that came and left in between, or the other way round, differs only if the pinpoint was changed. */
const changedMembers = async (
  reads: HistoryReads,
  { from, to }: ComparedMembers,
  was: Members,
  is: Members,
): Promise<readonly Changed[]> => {
  const streams = [...is.keys()].map((id) => resourceStream('pinpoint', id));
  const last = streams.length === 0 ? undefined : await reads.lastEntries(streams, to);
  const changed: Changed[] = [];
  for (const [id, { until }] of was) {
    if (!is.has(id)) changed.push({ stream: resourceStream('pinpoint', id), change: 'removed', place: { position: until ?? to, id } });
  }
  for (const [id, { since }] of is) {
    const stream = resourceStream('pinpoint', id);
    const edited = last?.get(stream)?.position ?? 0;
    const position = was.has(id) ? edited : Math.max(since, edited);
    if (position > from) changed.push({ stream, change: was.has(id) ? 'changed' : 'added', place: { position, id } });
  }
  return changed;
};
