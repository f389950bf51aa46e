import type { Position } from '@waymark/event-log/event-log.ts';
import type { Database } from 'better-sqlite3';
import type { Interval } from '../entries.ts';
import type { HistoryReads, PositionRange } from '../history.ts';

type ChangeRow = [position: Position, other: string, began: 0 | 1];

/** Creates `HistoryReads.relationChanges`. A change of a list counts no longer once the list's events of that time are erased. */
export const sqliteRelationChanges = (db: Database): HistoryReads['relationChanges'] => {
  const changes = db
    .prepare<[string, Position, number], ChangeRow>(
      `SELECT relation_change.position, other, began FROM relation_change
        LEFT JOIN mark AS own ON own.stream = relation_change.stream
        LEFT JOIN mark AS others ON others.stream = relation_change.other
        WHERE relation_change.stream = (SELECT ?) AND relation_change.position < ?
          AND (relation_change.stream NOT LIKE 'list-%' OR other NOT LIKE 'pinpoint-%' OR relation_change.position >= ifnull(own.first, 0))
          AND (other NOT LIKE 'list-%' AND other NOT LIKE 'happening-%' OR relation_change.position >= ifnull(others.first, 0))
        ORDER BY relation_change.position DESC, other LIMIT ? + 0`,
    )
    .raw();
  return async (stream, before, limit) =>
    changes.all(stream, before, limit).map(([position, other, began]) => ({ stream, position, other, began: began === 1 }));
};

/** Intervals of one item in one set that are read at most in a range. */
const intervalsMax = 10_000;

type IntervalRow = [item: number, since: Position, until: Position | null];

const backwardsSql = (condition: string): string =>
  `SELECT item, since, until FROM interval WHERE ${condition} AND within = (SELECT ?) AND since <= ? ORDER BY since DESC`;

/** Creates `HistoryReads.intervalsOf` and `HistoryReads.intervalsIn`. They read from the last interval that begins in the range backwards, so
 * that a pinpoint that was often added to a list and removed from it costs no more than its intervals in the range. */
export const sqliteIntervals = (db: Database): Pick<HistoryReads, 'intervalsOf' | 'intervalsIn'> => {
  const nextSet = db
    .prepare<[string, string], string>(
      'SELECT within FROM interval WHERE item_stream = (SELECT ?) AND within > ? ORDER BY within LIMIT 1 + 0',
    )
    .pluck();
  const ofStream = db.prepare<[string, string, Position], IntervalRow>(backwardsSql('item_stream = (SELECT ?)')).raw();
  const ofItem = db.prepare<[number, string, Position], IntervalRow>(backwardsSql('item = (SELECT ?)')).raw();
  return {
    intervalsOf: async (stream, range) => {
      const intervals: Interval[] = [];
      for (let set = nextSet.get(stream, ''); set !== undefined; set = nextSet.get(stream, set)) {
        intervals.push(...inRange(ofStream.iterate(stream, set, range.through), set, range));
      }
      return intervals;
    },
    intervalsIn: async (set, item, range, limit) => inRange(ofItem.iterate(item, set, range.through), set, range, limit),
  };
};

/** Returns the intervals that reach into a range, of those that begin before its end. */
const inRange = (backwards: Iterable<IntervalRow>, set: string, { after }: PositionRange, limit = intervalsMax): readonly Interval[] => {
  const intervals: Interval[] = [];
  for (const [item, since, until] of backwards) {
    if ((until !== null && until <= after) || intervals.length === limit) break;
    intervals.push({ set, item, since, until });
  }
  return intervals.reverse();
};
