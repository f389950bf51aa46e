import { isNoRoom } from '@waymark/files/no-room.ts';
import { LogUnavailable, type Position } from '../event-log.ts';
import { type OpenLog, reached, writeAppends } from './appends.ts';
import type { Outcome, PackedAppend } from './messages.ts';
import type { LogReader, OpenLogReader } from './reader.ts';
import { closeWriter } from './schema.ts';

/** The log's one writer. Its connection is given up after any error and opened again when it is next needed. */
export type Appender = {
  /** Writes them in one transaction; the outcomes are durable when it returns. */
  readonly append: (appends: readonly PackedAppend[]) => Batch;
  /** Position of the last event. */
  readonly head: () => Position;
  /** Whether its connection is open. */
  readonly isOpen: () => boolean;
  /** Reads, also where the log cannot be written. @throws LogUnavailable, the library's error */
  readonly look: <Result>(read: (reader: LogReader) => Result) => Result;
  /** Does something else over the connection. @throws LogUnavailable */
  readonly use: <Result>(work: (log: OpenLog) => Result) => Result;
  readonly close: () => void;
};

/** What became of appends, and the position of the last event before theirs. */
export type Batch = { readonly outcomes: Outcome[]; readonly before: Position };

/** How long a log that could not be opened again is left alone. */
const reopenAfterMs = 1_000;
/** When a commit fails with these, the mark that makes it one was not written. */
const commitNeverWritten = ['SQLITE_FULL', 'SQLITE_IOERR_WRITE'];

/** @param open opens the file's log, with no position up to the given one ever given out again; where that fails for want of room, `openReading`
 * opens it to be read, and appends are refused until there is room */
export const createAppender = (
  open: (given: Position) => OpenLog,
  openReading: () => OpenLogReader,
  report: (error: Error) => void,
): Appender => {
  const connection = keptConnection(open, report);

  /** Opens a transaction with all of them; undefined where that cannot be done, and nothing was written. */
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
    const before = connection.head; // opening the log again may have moved it
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
  const look = <Result>(read: (reader: LogReader) => Result): Result => {
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
    connection.head = look((reader) => reader.state().head);
  }
  return { append, head: () => connection.head, isOpen: connection.isOpen, look, use, close };
};

type Connection = {
  /** @throws LogUnavailable, or what opening throws */
  readonly opened: () => OpenLog;
  readonly isOpen: () => boolean;
  readonly lose: (error: Error) => void;
  readonly close: () => void;
  /** The last position given out, and that of the last event. */
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
        report(error as Error); // what was committed is safe where it is
      }
    },
    given: 0,
    head: 0,
  };
  return connection;
};

/** What a batch came to whose commit failed: opening the log writes to it, and what is seen then cannot change any more. */
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
