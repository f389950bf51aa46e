import { isNoRoom } from '@waymark/files/no-room.ts';
import { LogUnavailable, type Position } from '../event-log.ts';
import { type OpenLog, reached, writeAppends } from './appends.ts';
import type { Outcome, PackedAppend } from './messages.ts';
import type { LogReader, OpenLogReader } from './reader.ts';
import { closeWriter } from './schema.ts';

/** The only writer of the log. It gives up its connection after any error, and reopens it when it is next needed. */
export type Appender = {
  /** Writes the appends in one transaction. The outcomes are durable when it returns. */
  readonly append: (appends: readonly PackedAppend[]) => Batch;
  /** Returns the position of the last event. */
  readonly head: () => Position;
  /** Returns whether its connection is open. */
  readonly isOpen: () => boolean;
  /** Reads the log, even where the log cannot be written.
   * @throws LogUnavailable, the library's error */
  readonly read: <Result>(read: (reader: LogReader) => Result) => Result;
  /** Runs other work over the connection.
   * @throws LogUnavailable */
  readonly use: <Result>(work: (log: OpenLog) => Result) => Result;
  readonly close: () => void;
};

/** The outcomes of appends, and the position of the last event before theirs. */
export type Batch = { readonly outcomes: Outcome[]; readonly before: Position };

/** How long the log is not opened again after a failure to reopen it, in milliseconds. */
const reopenAfterMs = 1_000;
/** When a commit fails with one of these errors, the mark that completes it was not written. */
const commitNeverWritten = ['SQLITE_FULL', 'SQLITE_IOERR_WRITE'];

/** Creates the appender.
 * @param open opens the file's log; no position up to the given one is ever given out again
 * @param openReading opens the log for reading where `open` fails for lack of room; appends are refused until there is room */
export const createAppender = (
  open: (given: Position) => OpenLog,
  openReading: () => OpenLogReader,
  report: (error: Error) => void,
): Appender => {
  const connection = keptConnection(open, report);

  /** Opens a transaction with all appends. Returns undefined where that fails: nothing was written then. */
  const write = (appends: readonly PackedAppend[]): Outcome[] | undefined => {
    try {
      return writeAppends(connection.opened(), appends, connection.given);
    } catch (error) {
      connection.lose(error as Error);
      return undefined;
    }
  };
  const commit = (outcomes: Outcome[]): Outcome[] => {
    connection.given = reached(outcomes, connection.given);
    try {
      connection.opened().commit.run();
      connection.head = reached(outcomes, connection.head);
      return outcomes;
    } catch (error) {
      const settled = settle(connection, error as Error);
      return settled === 'written' ? outcomes : outcomes.map(() => settled);
    }
  };
  const append = (appends: readonly PackedAppend[]): Batch => {
    const written = write(appends);
    const before = connection.head; // reopening the log may have moved it
    const outcomes = written === undefined ? appends.map((): Outcome => 'unavailable') : commit(written);
    return { outcomes, before };
  };
  const use = <Result>(work: (log: OpenLog) => Result): Result => {
    try {
      return work(connection.opened());
    } catch (error) {
      connection.lose(error as Error);
      throw new LogUnavailable('The event log cannot be used.', { cause: error });
    }
  };
  let reading: OpenLogReader | undefined;
  const read = <Result>(read: (reader: LogReader) => Result): Result => {
    if (connection.isOpen()) return use(({ reader }) => read(reader));
    reading ??= openReading();
    return read(reading.reader);
  };
  const close = (): void => {
    reading?.close();
    connection.close();
  };
  try {
    connection.opened();
  } catch (error) {
    if (!isNoRoom(error)) throw error;
    report(error as Error);
    connection.head = read((reader) => reader.state().head);
  }
  return { append, head: () => connection.head, isOpen: connection.isOpen, read, use, close };
};

type Connection = {
  /** Returns the open log, and opens it where it is closed.
   * @throws LogUnavailable, the error of opening */
  readonly opened: () => OpenLog;
  readonly isOpen: () => boolean;
  readonly lose: (error: Error) => void;
  readonly close: () => void;
  /** The last position that was given out, and the position of the last event. */
  given: Position;
  head: Position;
};

const keptConnection = (open: (given: Position) => OpenLog, report: (error: Error) => void): Connection => {
  let log: OpenLog | undefined;
  let reopenAtMs = 0;
  const reopen = (): OpenLog => {
    if (performance.now() < reopenAtMs) throw new LogUnavailable('The event log could not be opened a moment ago.');
    reopenAtMs = performance.now() + reopenAfterMs;
    log = open(connection.given);
    reopenAtMs = 0;
    connection.given = log.given;
    connection.head = log.reader.state().head;
    return log;
  };
  const connection: Connection = {
    opened: () => log ?? reopen(),
    isOpen: () => log !== undefined,
    lose: (error) => {
      if (!(error instanceof LogUnavailable)) report(error);
      log?.db.close();
      log = undefined;
    },
    close: () => {
      try {
        if (log) closeWriter(log.db);
      } catch (error) {
        report(error as Error); // the committed events are safe where they are
      }
    },
    given: 0,
    head: 0,
  };
  return connection;
};

/** Determines the outcome of a batch whose commit failed. Opening the log writes to it; the state that it then shows cannot change any
 * more. */
const settle = (connection: Connection, error: Error & { code?: string }): 'written' | 'unavailable' | 'undecided' => {
  const last = connection.given;
  connection.lose(error);
  try {
    connection.opened();
    return connection.head === last ? 'written' : 'unavailable';
  } catch {
    return commitNeverWritten.includes(error.code ?? '') ? 'unavailable' : 'undecided';
  }
};
