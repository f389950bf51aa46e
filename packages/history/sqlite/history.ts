import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import type { Database } from 'better-sqlite3';
import { type History, type HistoryReads, HistoryUnavailable } from '../history.ts';
import { project } from '../projection/projection.ts';
import { sqliteCleaning } from './clean.ts';
import { sqliteLastStates } from './last-states.ts';
import { sqliteLookup } from './lookup.ts';
import { openFile } from './open.ts';
import { sqliteReads } from './reads.ts';
import { sqliteWrites } from './writes.ts';

export type SqliteHistory = History & {
  /** Applies events while they are read, as `apply` does. No part is needed once it is applied: if the events of a large transaction stayed in
   * memory until its end, collecting garbage would take several times as long.
   * @returns the position of the last event; undefined if there was none, or if the position was not `after` in this log
   * @throws NewerEvent, HistoryUnavailable */
  readonly applyParts: (partition: number, after: number, incarnation: string, parts: Parts) => Promise<number | undefined>;
  /** Closes the file once the reads and changes that were begun are done. Later ones throw HistoryUnavailable. */
  readonly close: () => Promise<void>;
};

type Parts = Iterable<readonly RecordedEvent[]>;

/** Opens a history in a SQLite file, and creates the file where there is none. Reads, applications and cleaning take turns on one connection,
 * so each sees the file at one position.
 * @throws HistoryUnavailable where the file cannot be used */
export const openSqliteHistory = (file: string): SqliteHistory => {
  const db = orUnavailable(() => openFile(file));
  const turns = createTurns();
  const inTurn = <Value>(run: () => Value | Promise<Value>): Promise<Value> =>
    turns(() => {
      if (!db.open) throw new HistoryUnavailable(`${file} is closed.`);
      return run();
    });
  // With the first read: many servers are never asked, and the statements take memory.
  let reads: HistoryReads | undefined;
  const position = sqlitePosition(db);
  const apply = db.transaction(sqliteApply(db, position)).immediate;
  const cleaningOf = sqliteCleaning(db);
  let cleaning: Generator<void> | undefined;
  const clean = (): boolean => {
    const current = cleaning ?? cleaningOf();
    // A cleaning that has ended or failed is begun again with the next call.
    cleaning = undefined;
    if (current.next().done === true) return false;
    cleaning = current;
    return true;
  };
  return {
    read: (use) =>
      inTurn(async () => {
        reads ??= sqliteReads(db);
        // One transaction: otherwise each statement locks and unlocks the file, which takes as long as the statement.
        db.exec('BEGIN');
        try {
          return await use(reads);
        } finally {
          // SQLite itself ends the transaction on some errors.
          if (db.inTransaction) db.exec('COMMIT');
        }
      }),
    position: (partition) => inTurn(() => position(partition)),
    apply: (partition, after, events, to) => inTurn(() => apply(partition, after, to.incarnation, [events], to) !== undefined),
    applyParts: (...parts) => inTurn(() => apply(...parts)?.position),
    clean: () => inTurn(clean),
    close: () => turns(() => void db.close()),
  };
};

const sqlitePosition = (db: Database): ((partition: number) => ReadPosition | undefined) => {
  const read = db.prepare<[number], [string, number, string]>('SELECT incarnation, position, event FROM reached WHERE partition = ?').raw();
  return (partition) => {
    const row = read.get(partition);
    if (row === undefined) return undefined;
    const [incarnation, position, event] = row;
    return { incarnation, position, event };
  };
};

/** Moves the position to the last event, unless `to` is given. Returns it; undefined if nothing was applied. */
type Apply = (partition: number, after: number, incarnation: string, parts: Parts, to?: ReadPosition) => ReadPosition | undefined;

const sqliteApply = (db: Database, positionOf: ReturnType<typeof sqlitePosition>): Apply => {
  const states = sqliteLastStates(db);
  const lookup = sqliteLookup(db, states);
  const { write, begin, end } = sqliteWrites(db);
  const applyOne = (event: RecordedEvent): void => {
    for (const change of project(event, lookup)) {
      write(change);
      if (change.type === 'entered') states.entered(change.entry, change.values);
    }
  };
  const move = db.prepare<[number, string, number, string]>(
    'INSERT OR REPLACE INTO reached (partition, incarnation, position, event) VALUES (?, ?, ?, ?)',
  );
  const applyAll = (parts: Parts): RecordedEvent | undefined => {
    let last: RecordedEvent | undefined;
    for (const events of parts) {
      for (const event of events) applyOne(event);
      last = events.at(-1) ?? last;
    }
    return last;
  };
  return (partition, after, incarnation, parts, given) => {
    const reached = positionOf(partition);
    if (after !== (reached?.position ?? 0)) return undefined;
    // A position in another log does not match.
    if (reached && reached.incarnation !== incarnation) return undefined;
    begin();
    states.begin();
    let last: RecordedEvent | undefined;
    try {
      last = applyAll(parts);
    } catch (error) {
      states.discard();
      throw error;
    }
    end();
    const to = given ?? (last && { incarnation, position: last.position, event: last.envelope.id });
    if (to !== undefined) move.run(partition, to.incarnation, to.position, to.event);
    return to;
  };
};

/** Runs functions one after the other. */
const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <Value>(run: () => Value | Promise<Value>): Promise<Value> => {
    const turn = last.then(run).catch(rethrow);
    last = turn.catch(() => undefined);
    return turn;
  };
};

const orUnavailable = <Value>(use: () => Value): Value => {
  try {
    return use();
  } catch (error) {
    return rethrow(error);
  }
};

/** Throws an error of SQLite as an unavailability of the history. */
const rethrow = (error: unknown): never => {
  const { name, message } = error as Error;
  // Checked by name: code that loads the library again has another class.
  if (name === 'SqliteError') throw new HistoryUnavailable(message, { cause: error });
  throw error;
};
