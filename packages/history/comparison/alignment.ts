import { diffArrays } from 'diff';
import { createNumbering } from './numbering.ts';

export type AlignmentLimits = {
  /** Items of one side, without the beginning and the end that both sides share. */
  readonly itemsMax: number;
  /** Items removed and items added, together. */
  readonly editsMax: number;
};

/** Consecutive items: kept on both sides, or removed from the old one and added to the new one. */
export type Run<Item> = { readonly kept: boolean; readonly old: readonly Item[]; readonly new: readonly Item[] };

export type Alignment<Item> = {
  /** The runs cover both sides. Kept and changed runs alternate. */
  readonly runs: readonly Run<Item>[];
  /** Whether the edits are as few as possible. If a limit is exceeded, one run changes everything between the shared beginning and end. */
  readonly complete: boolean;
};

/** Compares two sequences by the texts of their items. The result depends only on them and on the limits, never on time. */
export const align = <Item>(
  old: readonly Item[],
  current: readonly Item[],
  textOf: (item: Item) => string,
  limits: AlignmentLimits,
): Alignment<Item> => {
  const { counts, complete } = countRuns(old.map(textOf), current.map(textOf), limits);
  let [oldEnd, newEnd] = [0, 0];
  const runs = counts.map((count) => {
    oldEnd += count.old;
    newEnd += count.new;
    return { kept: count.kept, old: old.slice(oldEnd - count.old, oldEnd), new: current.slice(newEnd - count.new, newEnd) };
  });
  return { runs, complete };
};

type Texts = readonly string[];
type Count = { readonly kept: boolean; readonly old: number; readonly new: number };
type Counts = { readonly counts: readonly Count[]; readonly complete: boolean };

const countRuns = (old: Texts, current: Texts, limits: AlignmentLimits): Counts => {
  const start = sharedStart(old, current);
  const end = sharedEnd(old, current, start);
  const middle = countMiddle(old.slice(start, old.length - end), current.slice(start, current.length - end), limits);
  const counts = [kept(start), ...middle.counts, kept(end)];
  return { counts: counts.filter((count) => count.old + count.new > 0), complete: middle.complete };
};

const kept = (count: number): Count => ({ kept: true, old: count, new: count });

const sharedStart = (old: Texts, current: Texts): number => {
  const most = Math.min(old.length, current.length);
  let count = 0;
  while (count < most && old[count] === current[count]) count += 1;
  return count;
};

const sharedEnd = (old: Texts, current: Texts, start: number): number => {
  const most = Math.min(old.length, current.length) - start;
  let count = 0;
  while (count < most && old[old.length - 1 - count] === current[current.length - 1 - count]) count += 1;
  return count;
};

/** Compares sequences that differ in their first and last items. */
const countMiddle = (old: Texts, current: Texts, limits: AlignmentLimits): Counts => {
  const changed: Count = { kept: false, old: old.length, new: current.length };
  if (old.length === 0 || current.length === 0) return { counts: [changed], complete: true };
  const parts = isTooLong(old, current, limits) ? undefined : edits(old, current, limits);
  return parts === undefined ? { counts: [changed], complete: false } : { counts: joinChanges(parts), complete: true };
};

/** The lengths alone can show that there are too many edits. */
const isTooLong = (old: Texts, current: Texts, { itemsMax, editsMax }: AlignmentLimits): boolean =>
  Math.max(old.length, current.length) > itemsMax || Math.abs(old.length - current.length) > editsMax;

type Part = { readonly added: boolean; readonly removed: boolean; readonly count: number };

/** Returns undefined if there are too many edits. */
const edits = (old: Texts, current: Texts, { editsMax }: AlignmentLimits): readonly Part[] | undefined => {
  const number = createNumbering();
  const numbers = (texts: Texts): number[] => texts.map((text) => number(text));
  return diffArrays(numbers(old), numbers(current), { maxEditLength: editsMax });
};

/** Makes one run of consecutive removed and added parts. */
const joinChanges = (parts: readonly Part[]): readonly Count[] => {
  const counts: Count[] = [];
  for (const { added, removed, count } of parts) {
    const next = { kept: !added && !removed, old: added ? 0 : count, new: removed ? 0 : count };
    const last = counts.at(-1);
    if (last === undefined || last.kept || next.kept) counts.push(next);
    else counts.splice(-1, 1, { kept: false, old: last.old + next.old, new: last.new + next.new });
  }
  return counts;
};
