import { type ResourceKind, resourceOfStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryEntry, Interval } from '../entries.ts';
import type { HistoryReads, PositionRange } from '../history.ts';
import { accountSet, happeningsAt, ownerOf } from '../sets.ts';

/** A line of an object's history: an event of the object itself, or of another one that changed it. */
export type Line = {
  readonly entry: HistoryEntry;
  /** Of an event of another object: whether a relation between them began; undefined if the other object was deleted or restored. */
  readonly began: boolean | undefined;
};

/** Lines, newest first. `next`: the position before which there may be more lines of the range; null if there are none. */
export type Lines = { readonly lines: readonly Line[]; readonly next: Position | null };

/** Returns the lines of an object's history before a position: at least as many as the limit, if there are so many and finding them does not
 * take too long. */
export const linesBefore = async (
  reads: HistoryReads,
  stream: string,
  before: Position,
  limit: number,
  limits: SearchLimits = searchLimits,
): Promise<Lines> => {
  const [own, related] = await Promise.all([ownLines(reads, stream, before, limit), relationLines(reads, stream, before, limit)]);
  const direct = newestFirst([...own, ...related]);
  const range = { after: direct[limit - 1]?.entry.position ?? 0, through: before - 1 };
  // Each membership has a line at which it began: where they do not fill the page, they are few.
  const mayBeMany = stream.startsWith('pinpoint-') && related.length >= limit;
  if (mayBeMany && !(await reads.setsAt(stream, range.through, limits.setReads)).isAll) {
    // The oldest line of the object itself is its creation: before it, the object was in no list.
    const { lines, next } = await linesOfLists(reads, stream, direct[limit - 1] ?? direct.at(-1), range.through, limits);
    const known = [...direct, ...lines].filter(({ entry }) => entry.position >= (next ?? 0));
    return { lines: newestFirst(known), next };
  }
  return { lines: newestFirst([...direct, ...(await computedLines(reads, stream, range, own, limit))]), next: null };
};

/** How a search for the events that deleted or restored the lists of a pinpoint is limited. */
export type SearchLimits = {
  /** Index entries that may show that the pinpoint was in few lists. */
  readonly setReads: number;
  /** Otherwise: entries of the account that are compared, and those of deleted or restored lists that are looked at. Then the search ends early. */
  readonly entryReads: number;
  readonly entries: number;
};

const searchLimits: SearchLimits = { setReads: 2_000, entryReads: 20_000, entries: 100 };

/** Searches the account's entries for events that deleted or restored a list while a pinpoint was in it. This finds what `computedLines` finds. A
 * pinpoint may have been in so many lists that looking into each of them would take longer.
 * @param oldest the line where the search ends */
const linesOfLists = async (
  reads: HistoryReads,
  stream: string,
  oldest: Line | undefined,
  through: Position,
  { entryReads, entries }: SearchLimits,
): Promise<Lines> => {
  if (oldest === undefined) return { lines: [], next: null };
  const { account, clockMs: sinceMs, position: after } = oldest.entry;
  const query = {
    before: through + 1,
    sinceMs,
    untilMs: null,
    filter: { types: ['ListDeleted', 'ListRestored'] },
    entries,
    reads: entryReads,
  };
  const found = await reads.activity(account, query);
  const { id = 0 } = resourceOfStream(stream) ?? {};
  const isOfMember = async ({ stream: list, position }: HistoryEntry): Promise<boolean> => {
    const [membership] = await reads.intervalsIn(list, id, { after: position, through: position });
    const at = { after: position - 1, through: position };
    return membership !== undefined && (await presenceChangesWithin(reads, 'list', stream, membership, at, 1)).length > 0;
  };
  const inRange = found.entries.filter(({ position }) => position > after);
  const areOfMember = await Promise.all(inRange.map(isOfMember));
  const lines = inRange.filter((_, nth) => areOfMember[nth]).map((entry) => ({ entry, began: undefined }));
  return { lines, next: found.next !== null && found.next > after ? found.next : null };
};

const newestFirst = (lines: readonly Line[]): readonly Line[] => lines.toSorted((one, other) => other.entry.position - one.entry.position);

/** Returns the events of the object itself. The pieces of an erasure are left out: the event that completes it stands for them. */
const ownLines = async (reads: HistoryReads, stream: string, before: Position, limit: number): Promise<readonly Line[]> => {
  const lines: Line[] = [];
  let from: Position | undefined = before;
  while (from !== undefined && lines.length < limit) {
    const entries: readonly HistoryEntry[] = await reads.entries(stream, from, limit);
    lines.push(...entries.filter(({ type }) => type !== 'ListMembersRestated').map((entry) => ({ entry, began: undefined })));
    from = entries.length < limit ? undefined : entries.at(-1)?.position;
  }
  return lines;
};

const relationLines = async (reads: HistoryReads, stream: string, before: Position, limit: number): Promise<readonly Line[]> => {
  const changes = new Map((await reads.relationChanges(stream, before, limit)).map((change) => [change.position, change]));
  const entries = await reads.entriesAtPositions([...changes.keys()]);
  return entries.map((entry) => ({ entry, began: changes.get(entry.position)?.began }));
};

/** Returns the last events that deleted or restored another object on which this one depends: of a pinpoint its lists, of a happening its
 * pinpoint. No row says so, because such an event may change any number of objects.
 * @param own the object's own lines in the range, and perhaps earlier ones */
const computedLines = async (
  reads: HistoryReads,
  stream: string,
  range: PositionRange,
  own: readonly Line[],
  limit: number,
): Promise<readonly Line[]> => {
  const owner = owners[resourceOfStream(stream)?.resource ?? 'list'];
  if (owner === undefined) return [];
  const all = owner === 'pinpoint' ? await stays(reads, stream, range, own) : await reads.intervalsOf(stream, range);
  const intervals = all.filter(({ set }) => resourceOfStream(set)?.resource === owner);
  const positions = await Promise.all(intervals.map((interval) => presenceChangesWithin(reads, owner, stream, interval, range, limit)));
  const last = positions.flat().sort((one, other) => other - one);
  const entries = await reads.entriesAtPositions(last.slice(0, limit));
  return entries.map((entry) => ({ entry, began: undefined }));
};

/** Returns the stays of a happening at pinpoints that reach into a range, among others. Its own entries name the pinpoints: looking through all
 * pinpoints where a happening has been would take long if it was moved often. Erased entries name none. */
const stays = async (reads: HistoryReads, stream: string, range: PositionRange, own: readonly Line[]): Promise<readonly Interval[]> => {
  const [before, mark] = await Promise.all([reads.lastEntries([stream], range.after), reads.erased(stream)]);
  const entries = [...own.map(({ entry }) => entry), ...before.values()];
  if (entries.some(({ revision }) => revision < (mark?.revision ?? 0))) return reads.intervalsOf(stream, range);
  const values = await reads.values(
    stream,
    entries.flatMap(({ origins }) => origins['pinpoint'] ?? []),
  );
  const pinpoints = new Set([...values.values()].map(({ pinpoint }) => Number(pinpoint)));
  const { id = 0 } = resourceOfStream(stream) ?? {};
  return (await Promise.all([...pinpoints].map((pinpoint) => reads.intervalsIn(happeningsAt(pinpoint), id, range)))).flat();
};

const owners: Partial<Record<ResourceKind, ResourceKind>> = { pinpoint: 'list', happening: 'pinpoint' };

/** Returns the positions at which the owner of a set was deleted or restored while an object was in the set: the last ones, and at least as many
 * as the limit, if there are so many. */
const presenceChangesWithin = async (
  reads: HistoryReads,
  owner: ResourceKind,
  stream: string,
  { set, since, until }: Interval,
  { after, through }: PositionRange,
  limit: number,
): Promise<readonly Position[]> => {
  // A membership is content of the list, a stay is content of the happening: what was erased of it does not count.
  const [states, mark] = await Promise.all([reads.lastStates([stream]), reads.erased(owner === 'list' ? set : stream)]);
  const { account = '' } = states.get(stream) ?? {};
  const begin = Math.max(after, since, mark?.from ?? 0);
  const end = Math.min(through, (until ?? Number.MAX_SAFE_INTEGER) - 1);
  const presence = await reads.intervalsIn(accountSet(account, owner), ownerOf(set), { after: begin, through: end }, limit);
  return presence.flatMap((interval) => [interval.since, interval.until ?? 0]).filter((position) => position > begin && position <= end);
};
