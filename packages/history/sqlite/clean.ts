import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { Database } from 'better-sqlite3';
import type { ErasureMark, Values } from '../entries.ts';
import { HistoryIsRead } from '../history.ts';
import { isOfErased, type Restatement, restatedAt, restatementTypes } from '../restatements.ts';
import { byStream, isOfStream, type MarkRow, markColumns, type StreamParameters, toMark } from './rows.ts';

/** Rows that one step reads or changes at most. */
const stepRows = 1_000;

/** Returns a function that deletes what erasures have left, in steps: each is a short transaction. Afterwards the rows equal those of a history
 * that never saw the erased content, and neither the file nor its WAL has any of it. */
export const sqliteCleaning = (db: Database): (() => Generator<void>) => {
  const next = db.prepare<[], MarkRow>(`SELECT ${markColumns} FROM mark WHERE NOT clean ORDER BY stream LIMIT 1 + 0`).raw();
  const done = db.prepare<[string, number]>('UPDATE mark SET clean = 1 WHERE stream = ? AND revision = ?');
  return function* () {
    for (let row = next.get(); row !== undefined; row = next.get()) {
      const mark = toMark(row);
      yield* cleanValues(db, mark);
      yield* cleanIntervals(db, mark);
      // Before the mark counts as clean: a crash in between must not leave erased values in the WAL.
      emptyWal(db);
      done.run(mark.stream, mark.revision);
      yield;
    }
  };
};

/** @throws HistoryIsRead while another connection reads the file: the cleaning is then repeated */
const emptyWal = (db: Database): void => {
  const [outcome] = db.pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[];
  if (outcome?.busy !== 0) throw new HistoryIsRead('The write-ahead log of the history could not be emptied, because it is being read.');
};

/** Deletes the values before the first event that was not erased, and the origins before the event that completed the erasure: none of them is
 * a version any more. */
function* cleanValues(db: Database, { stream, before, revision }: ErasureMark): Generator<void> {
  const clean = db.prepare<[number, ...StreamParameters, number, number]>(
    `UPDATE entry SET origins = '{}', moved = NULL, value = iif(revision < ?, NULL, value)
      WHERE ${isOfStream} AND revision >= ? AND revision < ?`,
  );
  for (let from = 0; from < revision; from += stepRows) {
    clean.run(before, ...byStream(stream), from, Math.min(revision, from + stepRows));
    yield;
  }
}

type IntervalRow = [within: string, item: number, since: Position, until: Position | null, stream: string];

/** Cleans the memberships of a list, or the stays of a happening. */
function* cleanIntervals(db: Database, mark: ErasureMark): Generator<void> {
  const { resource } = resourceOfStream(mark.stream) ?? {};
  if (resource !== 'list' && resource !== 'happening') return;
  const read = resource === 'list' ? intervalsWithin(db, mark.stream) : intervalsOf(db, mark.stream);
  const events = resource === 'list' ? restatements(db, mark) : [];
  const cut = db.transaction(cutInterval(db));
  for (let rows = read(['', 0, 0]); rows.length > 0; rows = read(rows.at(-1) as Place)) {
    for (const row of rows) {
      const [, item, since] = row;
      if (isOfErased(events, mark.from, item, since)) cut(row, restatedAt(events, mark.from, item));
    }
    yield;
  }
}

/** The place of a row in the order in which intervals are read. */
type Place = readonly [within: string, item: number, since: Position, ...rest: unknown[]];

const intervalColumns = 'within, item, since, until, item_stream';

const intervalsWithin = (db: Database, stream: string): ((after: Place) => IntervalRow[]) => {
  const read = db
    .prepare<[string, number, Position, number], IntervalRow>(
      `SELECT ${intervalColumns} FROM interval WHERE within = (SELECT ?) AND (item, since) > (?, ?) ORDER BY item, since LIMIT ? + 0`,
    )
    .raw();
  return ([, item, since]) => read.all(stream, item, since, stepRows);
};

const intervalsOf = (db: Database, stream: string): ((after: Place) => IntervalRow[]) => {
  const read = db
    .prepare<[string, string, Position, number], IntervalRow>(
      `SELECT ${intervalColumns} FROM interval WHERE item_stream = (SELECT ?) AND (within, since) > (?, ?) ORDER BY within, since LIMIT ? + 0`,
    )
    .raw();
  return ([within, , since]) => read.all(stream, within, since, stepRows);
};

/** Reads the events that restated or added a list's members since the first event that was not erased. */
const restatements = (db: Database, { stream, before, revision }: ErasureMark): readonly Restatement[] =>
  db
    .prepare<[...StreamParameters, number, number], [position: Position, value: string | null]>(
      `SELECT position, value FROM entry WHERE ${isOfStream} AND revision >= ? AND revision < ? AND type IN ('${restatementTypes.join("', '")}')`,
    )
    .raw()
    .all(...byStream(stream), before, revision)
    .map(([position, value]) => ({ position, values: JSON.parse(value ?? '{}') as Values }));

/** Makes an interval begin where it was restated, and deletes one that had ended before. The changes of relations that belong to the erased
 * part go with it. */
const cutInterval = (db: Database) => {
  const remove = db.prepare<[string, number, Position]>('DELETE FROM interval WHERE within = ? AND item = ? AND since = ?');
  const move = db.prepare<[Position, string, number, Position]>(
    'UPDATE interval SET since = ? WHERE within = ? AND item = ? AND since = ?',
  );
  const forget = db.prepare<[string, Position, string]>('DELETE FROM relation_change WHERE stream = ? AND position = ? AND other = ?');
  return ([within, item, since, until, itemStream]: IntervalRow, restated: Position): void => {
    const unrelate = (position: Position): void => {
      forget.run(within, position, itemStream);
      forget.run(itemStream, position, within);
    };
    unrelate(since);
    if (until !== null && until <= restated) {
      unrelate(until);
      remove.run(within, item, since);
    } else {
      move.run(restated, within, item, since);
    }
  };
};
