import type { RecordedEvent } from '@waymark/domain/event.ts';
import type Database from 'better-sqlite3';
import type { Position } from '../event-log.ts';
import type { Outcome, PackedAppend, PackedEvent } from './messages.ts';
import { createLogReader, type LogReader } from './reader.ts';
import { openWriter } from './schema.ts';

/** The log's writing connection, with the statements that appends use. */
export type OpenLog = {
  readonly db: Database.Database;
  readonly reader: LogReader;
  readonly begin: Database.Statement<[]>;
  readonly commit: Database.Statement<[]>;
  /** Returns the last revision of a stream. */
  readonly last: Database.Statement<[string], number>;
  readonly insert: Database.Statement<[Position, string, number, ...PackedEvent]>;
  /** The last position that was ever given to an event. */
  readonly given: Position;
};

/** Opens the log for writing.
 * @param given positions up to this one were given out, whether or not their events were written */
export const openLog = (file: string, given: Position): OpenLog => {
  const db = openWriter(file, given);
  return { db, reader: createLogReader(db), ...prepareAppends(db) };
};

// `= (select ?)`: with a plain parameter beside an order, SQLite plans a statement again each time it runs.
export const prepareAppends = (db: Database.Database): Omit<OpenLog, 'db' | 'reader'> => ({
  begin: db.prepare('begin immediate'),
  commit: db.prepare('commit'),
  last: db.prepare<[string], number>('select revision from event where stream = (select ?) order by revision desc limit 1').pluck(),
  insert: db.prepare('insert into event values (?, ?, ?, ?, ?, ?)'),
  given: db.prepare<[], number>('select max(given, (select ifnull(max(position), 0) from event)) from log').pluck().get() as number,
});

/** Opens a transaction and writes the appends that can be written. Each append is decided on what those before it wrote. */
export const writeAppends = (log: OpenLog, appends: readonly PackedAppend[], given: Position): Outcome[] => {
  log.begin.run();
  let position = given;
  return appends.map(([stream, expected, events]) => {
    if ((log.last.get(stream) ?? 'none') !== expected) return 'conflict';
    let revision = expected === 'none' ? -1 : expected;
    for (const [envelope, salt, content] of events) {
      position += 1;
      revision += 1;
      log.insert.run(position, stream, revision, envelope, salt, content);
    }
    return [revision, position];
  });
};

/** Returns the last position that these outcomes reached; `before` where none of them appended anything. */
export const reached = (outcomes: readonly Outcome[], before: Position): Position => {
  const last = outcomes.findLast((outcome) => typeof outcome === 'object');
  return last === undefined ? before : last[1];
};

/** Returns the events that these appends recorded, as a read would return them. */
export const recordedBy = (appends: readonly PackedAppend[], outcomes: readonly Outcome[]): RecordedEvent[] =>
  appends.flatMap(([stream, , events], index) => {
    const outcome = outcomes[index];
    if (typeof outcome !== 'object') return [];
    const before = events.length - 1;
    return events.map(([envelope, salt, content], nth) => ({
      stream,
      revision: outcome[0] - before + nth,
      position: outcome[1] - before + nth,
      envelope: JSON.parse(envelope),
      salt,
      content,
    }));
  });
