import { setTimeout as pause } from 'node:timers/promises';
import { planErasure, recordErasure } from '../erasure/erased-streams.ts';
import { type EventLog, LogUnavailable, type Position, readEventsMax } from '../event-log.ts';
import type { Load } from './append-queue.ts';
import type { PruneStep } from './prune.ts';
import { createLogReader } from './reader.ts';
import { openReader } from './schema.ts';
import { createSubscribe } from './subscribe.ts';
import { startWriter, type WriterHooks, type WriterThread } from './writer-client.ts';

/** The log in one SQLite file. A separate thread writes, with many appends in one durable commit. The main thread reads. */
export type SqliteEventLog = EventLog & {
  /** Returns the last position that the follower is known to have. */
  readonly followed: () => Position;
  /** Calls the listener whenever that position changes.
   * @returns a function that removes the listener */
  readonly onFollowed: (listener: (followed: Position) => void) => () => void;
  /** Sends the follower a message, between two commits, and returns its answer. */
  readonly askFollower: (message: unknown) => Promise<unknown>;
  /** Drops the claims of idempotency keys whose last event is older than a time (ISO 8601, UTC, milliseconds). Claims count for 24 hours,
   * so the caller should keep them for 48.
   * @returns the number of dropped claims
   * @throws LogUnavailable */
  readonly prune: (before: string) => Promise<number>;
  /** Gives the log another incarnation.
   * @returns the new one; undefined where the log has another one than expected
   * @throws LogUnavailable */
  readonly renewIncarnation: (expected: string) => Promise<string | undefined>;
  /** Returns the load of the appends that are not acknowledged yet. */
  readonly waiting: () => Load;
  /** Accepts no more appends, finishes those that it has, moves everything into the one file and ends the thread. */
  readonly close: () => Promise<void>;
};

export type SqliteEventLogOptions = Partial<WriterHooks> & {
  /** The path of the log. The file is created with mode 0600 where there is none. */
  readonly file: string;
  /** The path of a file in which the writer's thread keeps the known facts of the log (`LogFacts`). While it cannot be written, no ids are
   * reserved. */
  readonly facts?: string;
  /** The follower, which processes every event in the writer's thread: the URL of a module that exports `openFollower`, and its options. */
  readonly follower?: { readonly module: string; readonly options: Record<string, unknown> };
};

export const openSqliteEventLog = async (options: SqliteEventLogOptions): Promise<SqliteEventLog> => {
  const { file, facts = null, follower = null, onFatal = endProcess, onFailure = warn } = options;
  const writer = await startWriter({ file, facts, follower }, { onFatal, onFailure });
  const db = openReader(file);
  const reader = createLogReader(db);
  const { append } = writer.queue;
  const read: EventLog['read'] = async (stream, from) => reachable(() => reader.read(stream, from, readEventsMax));
  return {
    append,
    read,
    lastRevisions: async (streams) => reachable(() => reader.last(streams)),
    owners: async (streams) => reachable(() => reader.owners(streams)),
    state: async () => reachable(reader.state),
    subscribe: createSubscribe((after, limit) => reachable(() => reader.after(after, limit)), writer.head),
    followed: writer.followed.at,
    onFollowed: writer.followed.listen,
    askFollower: (message) => writer.questions.ask({ kind: 'tell', message }),
    eraseBefore: async (stream, before, summary) => {
      const forgotten = await planErasure(read, stream, before, summary);
      // The content is dropped before the erasure is recorded. Therefore a reader in any thread that finds the record finds none of the
      // content.
      await drop(writer, stream, before);
      await recordErasure({ append, read }, forgotten);
      return 'overwritten';
    },
    prune: (before) => prune(writer, before),
    renewIncarnation: async (expected) => (await writer.questions.ask({ kind: 'renew', expected })) as string | undefined,
    waiting: writer.queue.waiting,
    close: async () => {
      db.close();
      await writer.close();
    },
  };
};

const prune = async ({ questions }: WriterThread, before: string): Promise<number> => {
  let dropped = 0;
  for (let from: string | undefined = ''; from !== undefined; ) {
    const step = (await questions.ask({ kind: 'prune', before, from })) as PruneStep;
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
