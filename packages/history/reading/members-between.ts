import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryEntry } from '../entries.ts';
import type { HistoryReads } from '../history.ts';

/** The members of a list that were added and removed between two moments, in ascending order. `next`: the id after which the next page
 * continues; null at the end. */
export type MembersBetween = { readonly added: readonly number[]; readonly removed: readonly number[]; readonly next: number | null };

/** Ids that a page compares at most. */
const candidatesMax = 10_000;
/** Entries that are read at once. */
const entriesTogether = 200;
/** Members that are looked up at once. */
const membersTogether = 200;

/** Returns the members of a list that differ between two of its entries, in whatever order these are. */
export const membersBetween = async (
  reads: HistoryReads,
  before: HistoryEntry,
  after: HistoryEntry,
  { beyond, limit }: { readonly beyond: number; readonly limit: number },
): Promise<MembersBetween> => {
  const candidates = await changedMembers(reads, before, after, beyond);
  const [added, removed]: [number[], number[]] = [[], []];
  for (let from = 0; from < candidates.length; from += membersTogether) {
    const ids = candidates.slice(from, from + membersTogether);
    const known = await Promise.all(ids.map((id) => Promise.all([isMember(reads, before, id), isMember(reads, after, id)])));
    for (const [nth, id] of ids.entries()) {
      const [was, is] = known[nth] ?? [];
      if (was !== is) (is ? added : removed).push(id);
      const compared = from + nth + 1;
      if (added.length + removed.length === limit || compared === candidatesMax)
        return { added, removed, next: compared < candidates.length ? id : null };
    }
  }
  return { added, removed, next: null };
};

const isMember = async (reads: HistoryReads, { stream, position }: HistoryEntry, id: number): Promise<boolean> =>
  (await reads.intervalsIn(stream, id, { after: position, through: position })).length > 0;

/** Returns the smallest ids above one that the events between two entries name, up to one more than a page compares. */
const changedMembers = async (reads: HistoryReads, one: HistoryEntry, other: HistoryEntry, beyond: number): Promise<readonly number[]> => {
  const [first, last] = one.position < other.position ? [one, other] : [other, one];
  let ids = new Set<number>();
  for await (const named of idsNamed(reads, first.stream, first.position, last.position + 1)) {
    for (const id of named) if (id > beyond) ids.add(id);
    if (ids.size > 2 * candidatesMax) ids = new Set(smallest(ids));
  }
  return smallest(ids);
};

const smallest = (ids: ReadonlySet<number>): readonly number[] => [...ids].sort((one, other) => one - other).slice(0, candidatesMax + 1);

/** Yields the ids of pinpoints that the events of a list, and those that deleted or restored its members, name. */
async function* idsNamed(reads: HistoryReads, stream: string, after: Position, before: Position): AsyncGenerator<readonly number[]> {
  for (let from = before; ; ) {
    const entries = (await reads.entries(stream, from, entriesTogether)).filter(({ position }) => position > after);
    const values = await reads.values(
      stream,
      entries.map(({ revision }) => revision),
    );
    for (const { added = [], removed = [] } of values.values()) yield [...(added as number[]), ...(removed as number[])];
    if (entries.length < entriesTogether) break;
    from = entries.at(-1)?.position ?? after;
  }
  for (let from = before; ; ) {
    const changes = (await reads.relationChanges(stream, from, entriesTogether)).filter(({ position }) => position > after);
    yield changes.flatMap(({ other }) => resourceOfStream(other)?.id ?? []);
    if (changes.length < entriesTogether) break;
    from = changes.at(-1)?.position ?? after;
  }
}
