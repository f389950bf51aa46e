import type { Position } from '@waymark/event-log/event-log.ts';
import type { Filter } from 'mongodb';
import type { Interval } from '../entries.ts';
import type { HistoryReads, PositionRange } from '../history.ts';
import type { IntervalRow } from './collections.ts';
import { createKeyedRows } from './keyed-rows.ts';
import { intervalsMax, intervalsOfItem, intervalsTogether, rowsTogether } from './limits.ts';
import { intervalOf } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

/** Creates `HistoryReads.intervalsOf` and `HistoryReads.intervalsIn`. They read from the last interval that begins in the range backwards, so
 * that a pinpoint that was often added to a list and removed from it costs no more than its intervals in the range. */
export const createIntervals = (snapshot: Snapshot): Pick<HistoryReads, 'intervalsOf' | 'intervalsIn'> => {
  const ofItems = createKeyedRows((keys: readonly string[]) => intervalsOfItems(snapshot, keys));
  return {
    intervalsOf: (stream, range) => intervalsOf(snapshot, stream, range),
    intervalsIn: async (set, item, range, limit = intervalsMax) => (await ofItems.get(keyOf(set, item, { ...range, limit }))) ?? [],
  };
};

/** The last intervals of an item in a set that reach into a range. */
type Last = PositionRange & { readonly limit: number };
type Key = readonly [set: string, after: Position, through: Position, limit: number, item: number];

const keyOf = (set: string, item: number, { after, through, limit }: Last): string =>
  JSON.stringify([set, after, through, limit, item] satisfies Key);

/** Reads the intervals of items. Those in one set and range share a query. */
const intervalsOfItems = async (snapshot: Snapshot, keys: readonly string[]): Promise<ReadonlyMap<string, readonly Interval[]>> => {
  const found = new Map<string, readonly Interval[]>();
  const parsed = keys.map((key) => JSON.parse(key) as Key);
  for (const alike of Map.groupBy(parsed, (key) => JSON.stringify(key.slice(0, -1))).values()) {
    const [[set, after, through, limit]] = alike as [Key];
    const range = { after, through, limit };
    const items = alike.map(([, , , , item]) => item).sort((one, other) => one - other);
    for (const [item, intervals] of await inSet(snapshot, set, items, range)) found.set(keyOf(set, item, range), intervals);
  }
  return found;
};

/** Reads the intervals of items in a set together. Those of an item that has too many are read by themselves.
 * @param items in ascending order */
const inSet = async (
  snapshot: Snapshot,
  set: string,
  items: readonly number[],
  range: Last,
): Promise<ReadonlyMap<number, readonly Interval[]>> => {
  const within = set;
  const found = new Map<number, readonly Interval[]>();
  const readAlone = async (item: number) => found.set(item, await inOneSet(snapshot, { within, item }, range));
  let left = items;
  while (left.length > 1) {
    const limit = Math.min(intervalsTogether, intervalsOfItem * left.length);
    const filter = { within, item: { $in: [...left] }, since: { $lte: range.through } };
    const rows = await snapshot.find('interval', filter, { sort: { item: 1, since: -1 }, limit, batchSize: limit + 1 });
    const last = rows.length === limit ? rows.at(-1)?.item : undefined;
    for (const [item, some] of Map.groupBy(rows, (row) => row.item))
      if (item !== last) found.set(item, ascending(some, range).slice(-range.limit));
    if (last === undefined) return found;
    await readAlone(last);
    left = left.filter((item) => item > last);
  }
  for (const item of left) await readAlone(item);
  return found;
};

/** Reads the intervals of all sets together. Those of a set that has too many are read by themselves. */
const intervalsOf = async (snapshot: Snapshot, stream: string, range: PositionRange): Promise<readonly Interval[]> => {
  const found: Interval[] = [];
  const of = stream;
  for (let set = ''; ; ) {
    const options = { sort: { within: 1, since: -1 }, limit: intervalsTogether, batchSize: intervalsTogether + 1 } as const;
    const rows = await snapshot.find('interval', { of, within: { $gt: set } }, options);
    const last = rows.length === intervalsTogether ? rows.at(-1)?.within : undefined;
    found.push(
      ...ascending(
        rows.filter(({ within, since }) => within !== last && since <= range.through),
        range,
      ),
    );
    if (last === undefined) return found;
    found.push(...(await inOneSet(snapshot, { of, within: last }, { ...range, limit: intervalsMax })));
    set = last;
  }
};

/** Returns the intervals of rows that end in the range or after it, by set, in the order of their beginnings. */
const ascending = (rows: readonly IntervalRow[], { after }: PositionRange): readonly Interval[] =>
  rows
    .filter(({ until }) => until > after)
    .map(intervalOf)
    .sort((one, other) => (one.set === other.set ? one.since - other.since : one.set < other.set ? -1 : 1));

const inOneSet = async ({ find }: Snapshot, filter: Filter<IntervalRow>, range: Last): Promise<readonly Interval[]> => {
  const found: Interval[] = [];
  const together = Math.min(rowsTogether, range.limit);
  const options = { sort: { since: -1 }, limit: together, batchSize: together + 1 } as const;
  for (let before = range.through + 1; ; ) {
    const rows = await find('interval', { ...filter, since: { $lt: before } }, options);
    for (const row of rows) {
      if (row.until <= range.after || found.length === range.limit) return found.reverse();
      found.push(intervalOf(row));
    }
    if (rows.length < together || found.length === range.limit) return found.reverse();
    before = rows.at(-1)?.since ?? 0;
  }
};
