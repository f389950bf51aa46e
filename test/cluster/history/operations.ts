import { type Entry, type Fact, isWrite, type Write } from './history.ts';

/** A write, with all requests that sent it. */
export type Operation = {
  readonly name: string;
  readonly requested: Write;
  readonly entries: readonly Entry[];
  readonly startedMs: number;
  /** The end of the first 2xx; infinite if there was none. The write may then have happened at any time, or may still happen. */
  readonly doneMs: number;
  /** The end of the first 2xx that promised that every later read shows the write. */
  readonly visibleMs: number;
  /** The number of facts of its account, up to its own; undefined if the write has no fact. */
  readonly at: number | undefined;
};

export const operationsOf = (entries: readonly Entry[], facts: readonly Fact[]): readonly Operation[] => {
  const places = new Map(facts.map(({ operation }, nth): [string | null, number] => [operation, nth + 1]));
  const byName = Map.groupBy(
    entries.filter(({ requested }) => isWrite(requested)),
    ({ operation }) => operation,
  );
  return [...byName].map(([name, sent]) => ({
    name,
    requested: sent[0]?.requested as Write,
    entries: sent,
    startedMs: Math.min(...sent.map(({ startedMs }) => startedMs)),
    doneMs: endOf(sent, ({ result }) => result.type === 'done'),
    visibleMs: endOf(sent, ({ result }) => result.type === 'done' && !result.lag),
    at: places.get(name),
  }));
};

const endOf = (entries: readonly Entry[], counts: (entry: Entry) => boolean): number =>
  Math.min(Number.POSITIVE_INFINITY, ...entries.filter(counts).map(({ endedMs }) => endedMs));

/** Returns the range of facts that a decision or a read may be based on that was requested in a period. The range includes everything that
 * was acknowledged before the period, and nothing that was requested after it. */
export const factRanges = (operations: readonly Operation[], last: number) => {
  const placed = operations.flatMap(({ at, ...operation }) => (at === undefined ? [] : [{ ...operation, at }]));
  const from = (promised: 'doneMs' | 'visibleMs', startedMs: number): number =>
    Math.max(0, ...placed.filter((one) => one[promised] < startedMs).map(({ at }) => at));
  return {
    /** The number of facts that a reader that begins now must see. */
    visibleAt: (startedMs: number): number => from('visibleMs', startedMs),
    /** The number of facts of an object that a decision that begins now must know. */
    doneAt: (startedMs: number): number => from('doneMs', startedMs),
    until: (endedMs: number): number => Math.min(last, ...placed.filter((one) => one.startedMs > endedMs).map(({ at }) => at - 1)),
  };
};
