import { resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryEntry, Interval } from '../../entries.ts';
import type { HistoryReads } from '../../history.ts';
import type { ChangePlace } from '../questions.ts';
import { type Changed, type ChangedPart, type Compared, partOf } from './changed.ts';
import type { Candidate, EntrySearch, Named, Step } from './entry-walk.ts';

/** The members of a list that are compared. `set`: their set, which is named as the list's stream. `was`, `is`: the time during which the list
 * was present around each position; undefined if it was not, and then it showed no members. */
export type ComparedMembers = Compared & { readonly set: string; readonly was: Interval | undefined; readonly is: Interval | undefined };

/** Creates the search for the members of a list that differ. */
export const memberSearch = (reads: HistoryReads, compared: ComparedMembers): EntrySearch => ({
  compared,
  named: async (entries, step) => {
    const members = await membersNamed(reads, compared.set, entries);
    const ofEntries = entries.flatMap(({ position }) => (members.get(position) ?? []).map((id) => candidateAt(position, id)));
    const { candidates, through } = await membersShownOrHidden(reads, compared, entries, step);
    return { candidates: [...ofEntries, ...candidates], through };
  },
  differing: async (candidates) => {
    const ids = [...new Set(candidates.map(({ place }) => place.id))];
    const was = compared.was ? await reads.intervalsAt(compared.set, ids, compared.from) : none;
    return changedMembers(reads, compared, was, await reads.intervalsAt(compared.set, ids, compared.to));
  },
});

const candidateAt = (position: Position, id: number): Candidate => ({ stream: resourceStream('pinpoint', id), place: { position, id } });

/** Index entries that finding a member takes at most: for itself two, and for its block of ids two. */
const memberReads = 4;

/** Returns members that the list's own deletion hid, or that its restoration showed again: those whose last change that may be. Of the members of
 * one entry it reads a part, from the place of the step on. */
const membersShownOrHidden = async (
  reads: HistoryReads,
  compared: ComparedMembers,
  entries: readonly HistoryEntry[],
  { after, together }: Step,
): Promise<Named> => {
  const { set, from, to, was, is } = compared;
  const isMember = ({ until }: Interval): boolean => until === null || until > to;
  const isAdded = (member: Interval): boolean => isMember(member) && (was === undefined || member.since > from);
  const isRemoved = (member: Interval): boolean => !isMember(member) && member.since <= from;
  const candidates: Candidate[] = [];
  for (const { stream, type, position } of entries) {
    const isShown = type.endsWith('Restored') && position === is?.since;
    const isHidden = type.endsWith('Deleted') && position === was?.until;
    if (stream !== set || !(isShown || isHidden)) continue;
    const beyond = position === after.position ? after.id : 0;
    const walk = { at: position, beyond, direction: 'forward', items: together, reads: memberReads * together } as const;
    const { items, next } = await reads.itemsAt(set, walk);
    candidates.push(...items.filter(isShown ? isAdded : isRemoved).map(({ item }) => candidateAt(position, item)));
    if (next !== null) return { candidates, through: { position, id: next } };
  }
  return { candidates, through: null };
};

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
  const was = compared.was ? await fewMembers(reads, compared.set, compared.from, membersMax) : none;
  const is = was && (await fewMembers(reads, compared.set, compared.to, membersMax));
  return is && partOf(await changedMembers(reads, compared, was, is), after, limit);
};

type Members = ReadonlyMap<number, Interval>;

const none: Members = new Map();

/** Returns the members of a list at a position; undefined if there are too many, or if finding them takes too long. */
const fewMembers = async (reads: HistoryReads, set: string, at: Position, membersMax: number): Promise<Members | undefined> => {
  const walk = { at, beyond: 0, direction: 'forward', items: membersMax + 1, reads: 4 * (membersMax + 1) } as const;
  const { items, next } = await reads.itemsAt(set, walk);
  return next === null ? new Map(items.map((interval) => [interval.item, interval])) : undefined;
};

/** Returns the members that differ. A member that came or left is at the event that let it do so, which may be the list's own restoration or
 * deletion, or at a later change of the pinpoint while it is a member. One that came and left in between, or the other way round, differs only if
 * the pinpoint was changed. */
const changedMembers = async (
  reads: HistoryReads,
  { from, to, ...list }: ComparedMembers,
  was: Members,
  is: Members,
): Promise<readonly Changed[]> => {
  const streams = [...is.keys()].map((id) => resourceStream('pinpoint', id));
  const last = streams.length === 0 ? undefined : await reads.lastEntries(streams, to);
  const changed: Changed[] = [];
  for (const [id, { until }] of was) {
    const position = Math.min(until ?? to, list.was?.until ?? to);
    if (!is.has(id)) changed.push({ ...candidateAt(position, id), change: 'removed' });
  }
  for (const [id, { since }] of is) {
    const stream = resourceStream('pinpoint', id);
    const edited = last?.get(stream)?.position ?? 0;
    const position = was.has(id) ? edited : Math.max(since, list.is?.since ?? 0, edited);
    if (position > from) changed.push({ stream, change: was.has(id) ? 'changed' : 'added', place: { position, id } });
  }
  return changed;
};
