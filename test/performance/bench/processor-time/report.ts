import { type Counter, type Measured, threadOf } from './counters.ts';

/** The cost of one request. `history`: that of the thread of the history and the notary, if the build has one. */
export type Row = { readonly main: number; readonly history: number; readonly others: number; readonly total: number };

/** Measures the cost of a request during some work. */
export const costOf = async (
  { costsWhile }: Counter,
  { requests, ...measured }: Measured & { readonly requests: number },
  work: () => Promise<void>,
): Promise<Row> => {
  const costs = await costsWhile(measured, work);
  const { pid } = measured;
  const total = [...costs.values()].reduce((sum, cost) => sum + cost, 0) / requests;
  // The id of the main thread is the id of its process.
  const main = (costs.get(pid) ?? 0) / requests;
  const history = (costs.get(threadOf(pid, 'history') ?? 0) ?? 0) / requests;
  return { main, history, others: total - main - history, total };
};

export type Line = {
  readonly name: string;
  readonly old: Row;
  readonly new: Row;
  /** The cost of the floor's main thread, and the new build's main thread as a multiple of it. */
  readonly floor: number;
  readonly timesFloor: number;
  readonly rise: number;
  readonly spread: number;
};

const number = (value: number, unit: Counter['unit']): string =>
  unit === 'ns' ? `${(value / 1_000).toFixed(1)} µs` : `${Math.round(value / 1_000)} k`;
const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

export const table = (lines: readonly Line[], unit: Counter['unit']): string =>
  [
    '| per request | before: main thread | history | others | after: main thread | history | others | floor: main thread | after / floor | rise in total | before, compared with itself |',
    `|${'---|'.repeat(11)}`,
    ...lines.map(({ name, old, new: now, floor, timesFloor, rise, spread }) => {
      const cells = [old.main, old.history, old.others, now.main, now.history, now.others, floor].map((value) => number(value, unit));
      return `| ${[name, ...cells, `${timesFloor.toFixed(2)} ×`, percent(rise), percent(spread)].join(' | ')} |`;
    }),
  ].join('\n');
