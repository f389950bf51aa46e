import { type Entry, type Fact, isWrite, type Write } from './history.ts';

/** A write, however often it was sent. */
export type Operation = {
  readonly name: string;
  readonly asked: Write;
  readonly entries: readonly Entry[];
  readonly begunMs: number;
  /** End of the first 2xx; infinite where there was none: it may have happened at any time, or may still. */
  readonly doneMs: number;
  /** End of the first 2xx that promised that every later read sees it. */
  readonly visibleMs: number;
  /** Facts of its account, up to its own; undefined where it has none. */
  readonly at: number | undefined;
};

export const operationsOf = (entries: readonly Entry[], facts: readonly Fact[]): readonly Operation[] => {
  const places = new Map(facts.map(({ operation }, nth): [string | null, number] => [operation, nth + 1]));
  const byName = Map.groupBy(
    entries.filter(({ asked }) => isWrite(asked)),
    ({ operation }) => operation,
  );
  return [...byName].map(([name, sent]) => ({
    name,
    asked: sent[0]?.asked as Write,
    entries: sent,
    begunMs: Math.min(...sent.map(({ begunMs }) => begunMs)),
    doneMs: endOf(sent, ({ result }) => result.type === 'done'),
    visibleMs: endOf(sent, ({ result }) => result.type === 'done' && !result.lag),
    at: places.get(name),
  }));
};

const endOf = (entries: readonly Entry[], counts: (entry: Entry) => boolean): number =>
  Math.min(Number.POSITIVE_INFINITY, ...entries.filter(counts).map(({ endedMs }) => endedMs));

/** Which numbers of facts something may have been decided on, or shown, that was asked for in a stretch of time: at least all that was
 * acknowledged before it began, and nothing that was asked for after it ended. */
export const windows = (operations: readonly Operation[], last: number) => {
  const placed = operations.flatMap(({ at, ...operation }) => (at === undefined ? [] : [{ ...operation, at }]));
  const from = (promised: 'doneMs' | 'visibleMs', begunMs: number): number =>
    Math.max(0, ...placed.filter((one) => one[promised] < begunMs).map(({ at }) => at));
  return {
    /** What every reader has to see that begins now. */
    visibleAt: (begunMs: number): number => from('visibleMs', begunMs),
    /** What every decision has to know of an object that begins now. */
    doneAt: (begunMs: number): number => from('doneMs', begunMs),
    until: (endedMs: number): number => Math.min(last, ...placed.filter((one) => one.begunMs > endedMs).map(({ at }) => at - 1)),
  };
};
