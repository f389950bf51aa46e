import type { Position } from '@waymark/event-log/event-log.ts';
import type { Database } from 'better-sqlite3';
import type { ErasureMark, HistoryEntry, Values } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { isOfAccount } from './accounts.ts';
import { sqliteActivity, sqliteLaterActivity } from './activity.ts';
import { sqliteIntervalsAt } from './intervals-at.ts';
import { sqliteItemsAt } from './items.ts';
import { sqlitePositionOf } from './positions.ts';
import { sqliteIntervals, sqliteRelationChanges } from './relations.ts';
import {
  byStream,
  type EntryRow,
  entryColumns,
  fromRow,
  isOfStream,
  type MarkRow,
  markColumns,
  type StreamParameters,
  toMark,
} from './rows.ts';

// `= (SELECT ?)` and `LIMIT ? + 0`: with plain parameters, SQLite plans a statement again each time it runs.

/** Creates the reads of a history. Values that were erased are not returned, whether they are still in the file or not. */
export const sqliteReads = (db: Database): HistoryReads => {
  const mark = db.prepare<[string], MarkRow>(`SELECT ${markColumns} FROM mark WHERE stream = ?`).raw();
  const upTo = db
    .prepare<[...StreamParameters, number, number], EntryRow>(
      `SELECT ${entryColumns} FROM entry WHERE ${isOfStream} AND revision <= ? ORDER BY revision DESC LIMIT ? + 0`,
    )
    .raw();
  const at = db
    .prepare<[...StreamParameters, number], EntryRow>(`SELECT ${entryColumns} FROM entry WHERE ${isOfStream} AND revision = ?`)
    .raw();
  const atPosition = db.prepare<[Position], EntryRow>(`SELECT ${entryColumns} FROM entry WHERE position = ?`).raw();
  const atTime = db
    .prepare<[string, number], EntryRow>(
      `SELECT ${entryColumns} FROM entry WHERE ${isOfAccount} AND clock <= ? ORDER BY clock DESC, position DESC LIMIT 1 + 0`,
    )
    .raw();
  const positionOf = sqlitePositionOf(db);
  const valueAt = db
    .prepare<[...StreamParameters, number], string | null>(`SELECT value FROM entry WHERE ${isOfStream} AND revision = ?`)
    .pluck();
  const revisionBefore = sqliteRevisionBefore(db);

  const markOf = (stream: string): ErasureMark | undefined => found(mark.get(stream)).map(toMark)[0];
  const toEntry = (row: EntryRow): HistoryEntry => fromRow(row, markOf(row[2]));
  const entries = (stream: string, before: Position, limit: number): readonly HistoryEntry[] =>
    upTo.all(...byStream(stream), revisionBefore(stream, before), limit).map(toEntry);
  return {
    entries: async (stream, before, limit) => entries(stream, before, limit),
    entriesAt: async (stream, revisions) =>
      distinct(revisions).flatMap((revision) => found(at.get(...byStream(stream), revision)).map(toEntry)),
    values: async (stream, revisions) => {
      const before = markOf(stream)?.before ?? 0;
      const read = (revision: number) => (revision < before ? null : (valueAt.get(...byStream(stream), revision) ?? null));
      return new Map(
        distinct(revisions).flatMap((revision) =>
          found(read(revision) ?? undefined).map((value) => [revision, JSON.parse(value) as Values] as const),
        ),
      );
    },
    entriesAtPositions: async (positions) => distinct(positions).flatMap((position) => found(atPosition.get(position)).map(toEntry)),
    lastStates: async (streams) =>
      new Map(
        streams.flatMap((stream) =>
          upTo.all(...byStream(stream), Number.MAX_SAFE_INTEGER, 1).map((row) => [stream, toEntry(row)] as const),
        ),
      ),
    lastEntries: async (streams, through) =>
      new Map(streams.flatMap((stream) => entries(stream, through + 1, 1).map((entry) => [stream, entry] as const))),
    relationChanges: sqliteRelationChanges(db),
    ...sqliteIntervals(db),
    ...sqliteIntervalsAt(db),
    itemsAt: sqliteItemsAt(db),
    activity: sqliteActivity(db, toEntry, positionOf),
    laterActivity: sqliteLaterActivity(db, toEntry, (account) => atTime.get(account, Number.MAX_SAFE_INTEGER)?.[0]),
    entryAt: async (account, timeMs) => found(atTime.get(account, timeMs)).map(toEntry)[0],
    entryOf: async (event) => found(atPosition.get(positionOf(event) ?? 0)).map(toEntry)[0],
    erased: async (stream) => markOf(stream),
  };
};

const distinct = (numbers: readonly number[]): readonly number[] => [...new Set(numbers)].sort((one, other) => one - other);

const found = <Row>(row: Row | undefined): readonly Row[] => (row === undefined ? [] : [row]);

/** Returns the last revision of a stream before a position, or -1: a binary search, because revisions rise with positions. */
const sqliteRevisionBefore = (db: Database): ((stream: string, before: Position) => number) => {
  const last = db
    .prepare<StreamParameters, number>(`SELECT revision FROM entry WHERE ${isOfStream} ORDER BY revision DESC LIMIT 1`)
    .pluck();
  const positionAt = db
    .prepare<[...StreamParameters, number], Position>(`SELECT position FROM entry WHERE ${isOfStream} AND revision = ?`)
    .pluck();
  return (stream, before) => {
    let low = -1;
    let high = last.get(...byStream(stream)) ?? -1;
    // Most reads want the newest entries.
    if ((positionAt.get(...byStream(stream), high) ?? before) < before) return high;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((positionAt.get(...byStream(stream), middle) ?? before) < before) low = middle;
      else high = middle - 1;
    }
    return low;
  };
};
