import type { Filter } from 'mongodb';
import type { Interval } from '../entries.ts';
import type { HistoryReads, PositionRange } from '../history.ts';
import type { IntervalRow } from './collections.ts';
import { intervalsMax, intervalsTogether, rowsTogether } from './limits.ts';
import { intervalOf } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

/** Creates `HistoryReads.intervalsOf` and `HistoryReads.intervalsIn`. They read from the last interval that begins in the range backwards, so
 * that a pinpoint that was often added to a list and removed from it costs no more than its intervals in the range. */
export const createIntervals = (snapshot: Snapshot): Pick<HistoryReads, 'intervalsOf' | 'intervalsIn'> => ({
  intervalsOf: (stream, range) => intervalsOf(snapshot, stream, range),
  intervalsIn: (set, item, range) => inOneSet(snapshot, { within: { $eq: set }, item: { $eq: item } }, range),
});

/** Reads the intervals of all sets together. Those of a set that has too many are read by themselves. */
const intervalsOf = async (snapshot: Snapshot, stream: string, range: PositionRange): Promise<readonly Interval[]> => {
  const found: Interval[] = [];
  const of = { $eq: stream };
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
    found.push(...(await inOneSet(snapshot, { of, within: { $eq: last } }, range)));
    set = last;
  }
};

/** Returns the intervals of rows that end in the range or after it, by set, in the order of their beginnings. */
const ascending = (rows: readonly IntervalRow[], { after }: PositionRange): readonly Interval[] =>
  rows
    .filter(({ until }) => until > after)
    .map(intervalOf)
    .sort((one, other) => (one.set === other.set ? one.since - other.since : one.set < other.set ? -1 : 1));

const inOneSet = async ({ find }: Snapshot, filter: Filter<IntervalRow>, range: PositionRange): Promise<readonly Interval[]> => {
  const found: Interval[] = [];
  const options = { sort: { since: -1 }, limit: rowsTogether, batchSize: rowsTogether + 1 } as const;
  for (let before = range.through + 1; ; ) {
    const rows = await find('interval', { ...filter, since: { $lt: before } }, options);
    for (const row of rows) {
      if (row.until <= range.after || found.length === intervalsMax) return found.reverse();
      found.push(intervalOf(row));
    }
    if (rows.length < rowsTogether) return found.reverse();
    before = rows.at(-1)?.since ?? 0;
  }
};
