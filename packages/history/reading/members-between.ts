import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryEntry, Interval } from '../entries.ts';
import type { HistoryReads } from '../history.ts';

/** The members of a list that were added and removed between two moments, in ascending order. `next`: the id after which the next page
 * continues; null at the end. */
export type MembersBetween = { readonly added: readonly number[]; readonly removed: readonly number[]; readonly next: number | null };

export type MembersBetweenLimits = {
  /** Events of the list that are searched for pinpoints at most, and as many that deleted or restored its members. */
  readonly eventsMax: number;
  /** Members that are compared at once. */
  readonly together: number;
  /** How often a page compares so many at most. Then it ends early. */
  readonly partsMax: number;
};

const membersBetweenLimits: MembersBetweenLimits = { eventsMax: 1_000, together: 200, partsMax: 50 };

/** Entries that are read at once. */
const entriesTogether = 200;
/** Pinpoints that the events name at most. */
const namesMax = 10_000;
/** Index entries that finding a member takes at most: for itself two, and for its block of ids two. */
const memberReads = 4;

/** Returns the members of a list that differ between two of its entries, in whatever order these are. Where few events name few pinpoints, it
 * compares those; otherwise it compares all members. Both find the same, in the same order. */
export const membersBetween = async (
  reads: HistoryReads,
  before: HistoryEntry,
  after: HistoryEntry,
  { beyond, limit }: { readonly beyond: number; readonly limit: number },
  { eventsMax, together, partsMax }: MembersBetweenLimits = membersBetweenLimits,
): Promise<MembersBetween> => {
  const named = await idsNamedBetween(reads, before, after, eventsMax);
  const differing: Differing[] = [];
  let next: number | null = beyond;
  for (let parts = 0; next !== null && differing.length <= limit && parts < partsMax; parts += 1) {
    const part: Part = await partAfter(reads, [before, after], named, { beyond: next, together });
    differing.push(...differingIn(part));
    next = part.next;
  }
  const page = differing.slice(0, limit);
  const ids = (isAdded: boolean): readonly number[] => page.filter((one) => one.isAdded === isAdded).map(({ id }) => id);
  return { added: ids(true), removed: ids(false), next: differing.length > limit ? (page.at(-1)?.id ?? beyond) : next };
};

type Differing = { readonly id: number; readonly isAdded: boolean };

/** The members at two moments, among some successive ids. `next`: the last of these ids; null if no member has a higher one. */
type Part = { readonly was: ReadonlySet<number>; readonly is: ReadonlySet<number>; readonly next: number | null };

const differingIn = ({ was, is }: Part): readonly Differing[] =>
  [...was.symmetricDifference(is)].sort((one, other) => one - other).map((id) => ({ id, isAdded: is.has(id) }));

type Moments = readonly [before: HistoryEntry, after: HistoryEntry];
type Step = { readonly beyond: number; readonly together: number };

const partAfter = (reads: HistoryReads, moments: Moments, named: readonly number[] | undefined, step: Step): Promise<Part> =>
  named === undefined ? allMembers(reads, moments, step) : namedMembers(reads, moments, named, step);

/** Looks for the next of some ids at both moments. */
const namedMembers = async (reads: HistoryReads, moments: Moments, named: readonly number[], { beyond, together }: Step): Promise<Part> => {
  const left = named.filter((id) => id > beyond);
  const ids = left.slice(0, together);
  const [was, is] = await Promise.all(moments.map(({ stream, position }) => reads.intervalsAt(stream, ids, position)));
  return { was: new Set(was?.keys()), is: new Set(is?.keys()), next: left.length > ids.length ? (ids.at(-1) ?? null) : null };
};

/** Reads the next members at both moments. */
const allMembers = async (reads: HistoryReads, moments: Moments, { beyond, together }: Step): Promise<Part> => {
  const walk = { beyond, direction: 'forward', items: together, reads: memberReads * together } as const;
  const [was, is] = await Promise.all(moments.map(({ stream, position: at }) => reads.itemsAt(stream, { ...walk, at })));
  const end = Math.min(was?.next ?? Number.MAX_SAFE_INTEGER, is?.next ?? Number.MAX_SAFE_INTEGER);
  const ids = (items: readonly Interval[] = []) => new Set(items.map(({ item }) => item).filter((item) => item <= end));
  return { was: ids(was?.items), is: ids(is?.items), next: end === Number.MAX_SAFE_INTEGER ? null : end };
};

/** Returns the ids of pinpoints that the events between two entries of a list name, in ascending order; undefined if those are too many. */
const idsNamedBetween = async (
  reads: HistoryReads,
  one: HistoryEntry,
  other: HistoryEntry,
  eventsMax: number,
): Promise<readonly number[] | undefined> => {
  if (Math.abs(one.revision - other.revision) > eventsMax) return undefined;
  const [first, last] = one.position < other.position ? [one, other] : [other, one];
  let ids: readonly number[] = [];
  let events = 0;
  for await (const { named, count } of idsNamed(reads, first.stream, first.position, last.position + 1)) {
    ids = ids.concat(named);
    events += count;
    if (ids.length > namesMax || events > 2 * eventsMax) return undefined;
  }
  return [...new Set(ids)].sort((low, high) => low - high);
};

type Named = { readonly named: readonly number[]; readonly count: number };

/** Yields the ids of pinpoints that the events of a list, and those that deleted or restored its members, name. */
async function* idsNamed(reads: HistoryReads, stream: string, after: Position, before: Position): AsyncGenerator<Named> {
  for (let from = before; ; ) {
    const entries = (await reads.entries(stream, from, entriesTogether)).filter(({ position }) => position > after);
    const values = await reads.values(
      stream,
      entries.map(({ revision }) => revision),
    );
    const named = [...values.values()].flatMap(({ added = [], removed = [] }) => [...(added as number[]), ...(removed as number[])]);
    yield { named, count: entries.length };
    if (entries.length < entriesTogether) break;
    from = entries.at(-1)?.position ?? after;
  }
  for (let from = before; ; ) {
    const changes = (await reads.relationChanges(stream, from, entriesTogether)).filter(({ position }) => position > after);
    yield { named: changes.flatMap(({ other }) => resourceOfStream(other)?.id ?? []), count: changes.length };
    if (changes.length < entriesTogether) break;
    from = changes.at(-1)?.position ?? after;
  }
}
