import type { Position } from '@waymark/event-log/event-log.ts';
import type { Interval } from '../entries.ts';
import type { HistoryReads, SetsAt } from '../history.ts';
import type { IntervalRow } from './collections.ts';
import { intervalOf } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

/** Creates `HistoryReads.intervalsAt` and `HistoryReads.setsAt`. Of an item in a set, the last interval that has begun decides. */
export const createIntervalsAt = (snapshot: Snapshot): Pick<HistoryReads, 'intervalsAt' | 'setsAt'> => ({
  intervalsAt: (set, items, at) => intervalsAt(snapshot, set, items, at),
  setsAt: (stream, at, limit) => setsAt(snapshot, stream, at, limit),
});

/** Reads the intervals of all items together: twice as many as there are items, then those of the items that were not reached again. So an item
 * that came and left often costs no more than the others together. */
const intervalsAt = async (
  { find }: Snapshot,
  set: string,
  items: readonly number[],
  at: Position,
): Promise<ReadonlyMap<number, Interval>> => {
  const found = new Map<number, Interval>();
  for (let left = [...new Set(items)].sort((one, other) => one - other); left.length > 0; ) {
    const limit = 2 * left.length;
    const options = { sort: { item: 1, since: -1 }, limit, batchSize: limit + 1 } as const;
    const rows = await find('interval', { within: set, item: { $in: left }, since: { $lte: at } }, options);
    for (const row of newestOf(rows, 'item')) if (row.until > at) found.set(row.item, intervalOf(row));
    const last = rows.length < limit ? Number.MAX_SAFE_INTEGER : (rows.at(-1)?.item ?? 0);
    left = left.filter((item) => item > last);
  }
  return found;
};

const setsAt = async ({ find }: Snapshot, stream: string, at: Position, limit: number): Promise<SetsAt> => {
  const options = { sort: { within: 1, since: -1 }, limit, batchSize: limit + 1 } as const;
  const rows = await find('interval', { of: stream, within: { $gt: '' }, since: { $lte: at } }, options);
  const there = newestOf(rows, 'within').filter(({ until }) => until > at);
  return { sets: there.map(({ within }) => within), isAll: rows.length < limit };
};

/** Returns the first row of each item or set: the newest one. */
const newestOf = (rows: readonly IntervalRow[], part: 'item' | 'within'): readonly IntervalRow[] =>
  rows.filter((row, index) => row[part] !== rows[index - 1]?.[part]);
