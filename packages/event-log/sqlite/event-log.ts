import { setTimeout as pause } from 'node:timers/promises';
import { planErasure, recordErasure } from '../erasure/erased-streams.ts';
import { type EventLog, LogUnavailable, type Position, readEventsMax } from '../event-log.ts';
import type { Expiring } from './messages.ts';
import type { PruneStep } from './prune.ts';
import { createLogReader } from './reader.ts';
import { openReader } from './schema.ts';
import type { Load } from './shared-state.ts';
import { createSubscribe } from './subscribe.ts';
import { connectToWriter, startWriter, type WriterConnection, type WriterHooks, type WriterThread } from './writer-client.ts';

/** The log in one SQLite file. A separate thread writes, with many appends in one durable commit. Each thread that uses the log reads it over
 * a connection of its own. */
export type SqliteEventLog = EventLog & {
  /** Returns the position of the last event. */
  readonly head: () => Position;
  /** Returns the last position that the follower is known to have. */
  readonly followed: () => Position;
  /** Calls the listener when the log or the follower has moved. A move before the call is not reported.
   * @returns a function that removes the listener */
  readonly onMoved: (listener: () => void) => () => void;
  /** Sends the follower a message, between two commits, and returns its answer. */
  readonly askFollower: (message: unknown) => Promise<unknown>;
  /** Drops the claims of idempotency keys whose last event is older than a time (ISO 8601, UTC, milliseconds). Claims count for 24 hours,
   * so the caller should keep them for 48.
   * @returns the number of dropped claims
   * @throws LogUnavailable */
  readonly prune: (before: string) => Promise<number>;
  /** Drops the refused requests of accounts and days whose last event is older than a time (ISO 8601, UTC, milliseconds).
   * @returns the number of dropped streams
   * @throws LogUnavailable */
  readonly pruneRefusals: (before: string) => Promise<number>;
  /** Drops the dry runs of undo jobs, and the notes of how far undo jobs are, whose last event is older than a time (ISO 8601, UTC,
   * milliseconds).
   * @returns the number of dropped streams
   * @throws LogUnavailable */
  readonly pruneUndos: (before: string) => Promise<number>;
  /** Gives the log another incarnation.
   * @returns the new one; undefined where the log has another one than expected
   * @throws LogUnavailable */
  readonly renewIncarnation: (expected: string) => Promise<string | undefined>;
  /** Returns the load of the appends of all threads that are not acknowledged yet. */
  readonly waiting: () => Load;
  /** Returns whether the appends of connected threads are refused. */
  readonly isClosedToThreads: () => boolean;
  /** Accepts no more appends, finishes those that it has, and ends the connection. */
  readonly close: () => Promise<void>;
};

/** The log, as the main thread has it. Its `close` moves everything into the one file and ends the writer's thread: the connections of other
 * threads have to be closed before. */
export type OwnedSqliteEventLog = SqliteEventLog & {
  /** Makes a connection that another thread can open. */
  readonly connection: () => LogConnection;
  /** Refuses the appends of connected threads, or accepts them again. Appends of the main thread are not affected. */
  readonly setClosedToThreads: (closed: boolean) => void;
  /** Resolves once all appends that the writer had accepted before are settled. */
  readonly settled: () => Promise<void>;
};

/** A connection to the log. Its port has to be transferred to the thread that opens it. */
export type LogConnection = WriterConnection & { readonly file: string };

export type SqliteEventLogOptions = Partial<WriterHooks> & {
  /** The path of the log. The file is created with mode 0600 where there is none. */
  readonly file: string;
  /** The path of a file in which the writer's thread keeps the known facts of the log (`LogFacts`). While it cannot be written, no ids are
   * reserved. */
  readonly facts?: string;
  /** The follower, which processes every event in the writer's thread: the URL of a module that exports `openFollower`, and its options. */
  readonly follower?: { readonly module: string; readonly options: Record<string, unknown> };
};

export const openSqliteEventLog = async (options: SqliteEventLogOptions): Promise<OwnedSqliteEventLog> => {
  const { file, facts = null, follower = null, onFatal = endProcess, onFailure = warn } = options;
  const writer = await startWriter({ file, facts, follower }, { onFatal, onFailure });
  return {
    ...logOver(file, writer),
    connection: () => ({ file, ...writer.connection() }),
    setClosedToThreads: writer.state.setClosed,
    settled: async () => void (await writer.questions.ask({ kind: 'settle' })),
  };
};

/** Opens the log in another thread than the main thread. */
export const connectSqliteEventLog = ({ file, ...connection }: LogConnection): SqliteEventLog => logOver(file, connectToWriter(connection));

const logOver = (file: string, writer: WriterThread): SqliteEventLog => {
  const { queue, questions, state, moves } = writer;
  const db = openReader(file);
  const reader = createLogReader(db);
  const { append } = queue;
  const read: EventLog['read'] = async (stream, from) => reachable(() => reader.read(stream, from, readEventsMax));
  return {
    append,
    read,
    lastRevisions: async (streams) => reachable(() => reader.last(streams)),
    owners: async (streams) => reachable(() => reader.owners(streams)),
    state: async () => reachable(reader.state),
    subscribe: createSubscribe((after, limit) => reachable(() => reader.after(after, limit)), { at: state.head, listen: moves.listen }),
    head: state.head,
    followed: state.followed,
    onMoved: moves.listen,
    askFollower: (message) => questions.ask({ kind: 'tell', message }),
    eraseBefore: async (stream, before, summary) => {
      const forgotten = await planErasure(read, stream, before, summary);
      // The content is dropped before the erasure is recorded. Therefore a reader in any thread that finds the record finds none of the
      // content.
      await drop(writer, stream, before);
      await recordErasure({ append, read }, forgotten);
      return 'overwritten';
    },
    prune: (before) => prune(writer, 'claims', before),
    pruneRefusals: (before) => prune(writer, 'refusals', before),
    pruneUndos: async (before) => (await prune(writer, 'dry-runs', before)) + (await prune(writer, 'notes', before)),
    renewIncarnation: async (expected) => (await questions.ask({ kind: 'renew', expected })) as string | undefined,
    waiting: state.waiting,
    isClosedToThreads: state.isClosed,
    close: async () => {
      db.close();
      await writer.close();
    },
  };
};

const prune = async ({ questions }: WriterThread, of: Expiring, before: string): Promise<number> => {
  let dropped = 0;
  for (let from: string | undefined = ''; from !== undefined; ) {
    const step = (await questions.ask({ kind: 'prune', of, before, from })) as PruneStep;
    dropped += step.dropped;
    from = step.next;
  }
  return dropped;
};

/** How long to wait for a reader that blocks the emptying of the write-ahead log, and the pause between tries, in milliseconds. */
const emptyWalWithinMs = 10_000;
const emptyWalPauseMs = 50;

const drop = async ({ questions }: WriterThread, stream: string, before: number): Promise<void> => {
  while (await questions.ask({ kind: 'drop', stream, before }));
  const untilMs = performance.now() + emptyWalWithinMs;
  while (!(await questions.ask({ kind: 'empty-wal' }))) {
    if (performance.now() > untilMs)
      throw new LogUnavailable('The erased content is still in the write-ahead log, because a backup is reading it. Try again.');
    await pause(emptyWalPauseMs);
  }
};

const reachable = <Result>(read: () => Result): Result => {
  try {
    return read();
  } catch (error) {
    throw new LogUnavailable('The event log cannot be read.', { cause: error });
  }
};

const endProcess = (error: Error): void => {
  setImmediate(() => {
    throw error;
  });
};

const warn = (of: string, error: Error): void => process.emitWarning(`${of}: ${error.message}`);
