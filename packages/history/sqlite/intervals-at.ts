import type { Position } from '@waymark/event-log/event-log.ts';
import type { Database } from 'better-sqlite3';
import type { Interval } from '../entries.ts';
import type { HistoryReads } from '../history.ts';

type IntervalRow = [since: Position, until: Position | null];

/** Reads the interval of an item in a set that contains a position. */
export type IntervalAt = (set: string, item: number, at: Position) => Interval | undefined;

export const sqliteIntervalAt = (db: Database): IntervalAt => {
  const last = db
    .prepare<[string, number, Position], IntervalRow>(
      'SELECT since, until FROM interval WHERE within = (SELECT ?) AND item = (SELECT ?) AND since <= ? ORDER BY since DESC LIMIT 1 + 0',
    )
    .raw();
  return (set, item, at) => {
    const [since = 0, until = at] = last.get(set, item, at) ?? [];
    return until === null || until > at ? { set, item, since, until } : undefined;
  };
};

/** Creates `HistoryReads.intervalsAt` and `HistoryReads.setsAt`. Of an item in a set they read the last interval that has begun. */
export const sqliteIntervalsAt = (db: Database): Pick<HistoryReads, 'intervalsAt' | 'setsAt'> => {
  const intervalAt = sqliteIntervalAt(db);
  const nextSet = db
    .prepare<[string, string], [set: string, item: number]>(
      'SELECT within, item FROM interval WHERE item_stream = (SELECT ?) AND within > ? ORDER BY within LIMIT 1 + 0',
    )
    .raw();
  return {
    intervalsAt: async (set, items, at) =>
      new Map(
        [...new Set(items)]
          .sort((one, other) => one - other)
          .flatMap((item) => intervalAt(set, item, at) ?? [])
          .map((interval) => [interval.item, interval] as const),
      ),
    setsAt: async (stream, at, limit) => {
      const sets: string[] = [];
      let found = nextSet.get(stream, '');
      // Each set takes a look for it and one at its interval.
      for (let reads = 2; found !== undefined && reads <= limit; reads += 2) {
        const [set, item] = found;
        if (intervalAt(set, item, at)) sets.push(set);
        found = nextSet.get(stream, set);
      }
      return { sets, isAll: found === undefined };
    },
  };
};
