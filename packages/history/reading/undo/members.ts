import type { ChangedMembers } from '@waymark/domain/undo/plan.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryEntry } from '../../entries.ts';
import type { HistoryReads } from '../../history.ts';
import { namedMembersMax } from './undo-questions.ts';

/** Changes whose members are read at once. */
const changesTogether = 100;
/** Members that are looked up at once. */
const membersTogether = 200;
/** The beginnings and ends of a membership that are looked at, beside those that the changes made. A membership with more of them counts as
 * changed by others. */
const boundsMax = 10;

/** Returns the members that each of some events of a list added or removed; undefined if they name more than `namedMembersMax`. A pinpoint is
 * named with the last of the events that added or removed it, unless they have left it as it was. */
export const changedMembers = async (
  reads: HistoryReads,
  stream: string,
  entries: readonly HistoryEntry[],
): Promise<readonly ChangedMembers[] | undefined> => {
  if (entries.length === 0) return [];
  const events = await namedMembers(reads, stream, entries);
  if (events === undefined) return undefined;
  const own = new Set(entries.map(({ position }) => position));
  const positions = new Map<number, Position[]>();
  for (const { position, added, removed } of events) {
    for (const id of [...added, ...removed]) {
      const known = positions.get(id);
      if (known === undefined) positions.set(id, [position]);
      else known.push(position);
    }
  }
  const known = await membershipsOf(reads, stream, own, positions);
  return events.map(({ revision, position, added, removed }) => {
    const isHere = (id: number): boolean => positions.get(id)?.at(-1) === position && known.get(id) !== 'as-before';
    const [came, left] = [added.filter(isHere), removed.filter(isHere)];
    return { revision, added: came, removed: left, changedSince: [...came, ...left].filter((id) => known.get(id) === 'changed-since') };
  });
};

type NamedMembers = Pick<HistoryEntry, 'revision' | 'position'> & Pick<ChangedMembers, 'added' | 'removed'>;

const namedMembers = async (
  reads: HistoryReads,
  stream: string,
  entries: readonly HistoryEntry[],
): Promise<readonly NamedMembers[] | undefined> => {
  const named: NamedMembers[] = [];
  let members = 0;
  for (let from = 0; from < entries.length; from += changesTogether) {
    const some = entries.slice(from, from + changesTogether);
    const values = await reads.values(
      stream,
      some.map(({ revision }) => revision),
    );
    for (const { revision, position } of some) {
      const { added, removed } = values.get(revision) ?? {};
      const event = { revision, position, added: idsIn(added), removed: idsIn(removed) };
      members += event.added.length + event.removed.length;
      named.push(event);
    }
    if (members > namedMembersMax) return undefined;
  }
  return named;
};

const idsIn = (value: unknown): readonly number[] => (Array.isArray(value) ? value : []);

/** What the changes have left of a membership: changed, as it was before, or changed by others since. */
type Left = 'changed' | 'as-before' | 'changed-since';

/** @param own the positions of all changes
 * @param positions of the changes of each membership */
const membershipsOf = async (
  reads: HistoryReads,
  stream: string,
  own: ReadonlySet<Position>,
  positions: ReadonlyMap<number, readonly Position[]>,
): Promise<ReadonlyMap<number, Left>> => {
  const known = new Map<number, Left>();
  const all = [...positions];
  for (let from = 0; from < all.length; from += membersTogether) {
    const some = all.slice(from, from + membersTogether);
    const bounds = await Promise.all(some.map(([id, changes]) => boundsAfter(reads, stream, id, changes)));
    const others = bounds.flat().filter((position) => !own.has(position));
    const found = others.length === 0 ? [] : await reads.entriesAtPositions(others);
    // A membership also ends and begins again with its pinpoint, which changes nothing in the list.
    const ofList = new Set(found.filter((entry) => entry.stream === stream).map(({ position }) => position));
    for (const [nth, [id, changes]] of some.entries()) {
      const later = bounds[nth] ?? [];
      const isTooLong = later.length > boundsMax + changes.length;
      known.set(id, isTooLong ? 'changed-since' : leftOf(changes, Math.max(0, ...later.filter((position) => ofList.has(position)))));
    }
  }
  return known;
};

/** Returns the beginnings and ends of a membership after its first change, and of those no more than decide. */
const boundsAfter = async (reads: HistoryReads, stream: string, id: number, changes: readonly Position[]): Promise<readonly Position[]> => {
  const [first = 0] = changes;
  const enough = boundsMax + changes.length + 1;
  // Each interval but the first one begins after the first change: one more than enough shows that there are too many.
  const intervals = await reads.intervalsIn(stream, id, { after: first, through: Number.MAX_SAFE_INTEGER }, enough + 1);
  const bounds = new Set(intervals.flatMap(({ since, until }) => [since, until ?? 0]).filter((position) => position > first));
  return [...bounds].slice(0, enough);
};

/** Each change of a membership is the opposite of the one before it.
 * @param other the position of the last change that others made */
const leftOf = (changes: readonly Position[], other: Position): Left => {
  const after = changes.filter((position) => position > other).length;
  if (after === 0) return 'changed-since';
  return after % 2 === 0 ? 'as-before' : 'changed';
};
