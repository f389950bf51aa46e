import type { RecordedEvent } from '@waymark/domain/event.ts';
import { operationsStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { isHeld, type LeaseNote, takeLease } from '@waymark/event-log/lease.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { operators, sealHousekeeping } from '@waymark/event-log/seal.ts';
import { conflict } from '@waymark/http/errors.ts';
import { createOneAtATime } from '@waymark/operations/one-at-a-time.ts';
import type { Logger } from 'pino';

/** How long an operation excludes others after its last note, and how often it writes one. */
export const leaseMs = 40_000;
const noteMs = 10_000;
/** The names of interrupted operations that are kept; the oldest are dropped. */
const interruptedMax = 100;

/** What a note says. Stored: never rename a field. */
type Noted = { readonly operation: string | null; readonly interrupted: readonly string[] };

/** The long operations of a cluster, of which one runs at a time, whichever process runs it. */
export type LeasedOperations = {
  /** Runs an operation.
   * @param operation its name, as an operator knows it
   * @throws HttpError 409 while another one runs; LogUnavailable, AppendUndecided */
  readonly run: <Result>(operation: string, work: () => Promise<Result>) => Promise<Result>;
  /** Returns the operations that were interrupted and have not been run again since, as sentences; none while the log does not respond. */
  readonly interrupted: () => Promise<readonly string[]>;
};

export type LeasedOperationsOptions = {
  readonly log: EventLog;
  /** The database of the read models, which the processes of a cluster share. */
  readonly database: string;
  /** Returns why the log lacks events; undefined if it is complete. Nothing is noted in a log that was rolled back: each event hides that. */
  readonly rolledBack: () => Promise<string | undefined>;
  readonly stopped: AbortSignal;
  readonly logger: Pick<Logger, 'warn'>;
};

/** Creates the operations. Each is noted in the log before it begins and after it has ended. If the process ends first, the note shows the
 * next process that the operation was interrupted. */
export const createLeasedOperations = ({ log, database, rolledBack, stopped, logger }: LeasedOperationsOptions): LeasedOperations => {
  const stream = operationsStream(database);
  const oneAtATime = createOneAtATime();

  const runNoted = async <Result>(operation: string, work: () => Promise<Result>): Promise<Result> => {
    let before: readonly string[] = [];
    const begin = (earlier: LeaseNote<Noted> | undefined): Noted => {
      before = interruptedIn(earlier, false);
      return { operation, interrupted: before };
    };
    const lease = await takeLease({ log, stream, seal, noteIn, begin, isAlone: false, leaseMs, noteMs });
    if (lease === undefined) throw conflict(`Another operation is running, or was interrupted less than ${leaseMs / 1_000} s ago.`);
    const end = (interrupted: readonly string[]): Promise<void> =>
      lease.release({ operation: null, interrupted }).catch((error: unknown) => {
        logger.warn({ err: error, operation }, 'the end of the operation could not be noted: it will count as interrupted');
      });
    try {
      const result = await work();
      await end(without(before, operation));
      return result;
    } catch (error) {
      await end(stopped.aborted ? withLast(before, operation) : before);
      throw error;
    }
  };

  return {
    run: (operation, work) => oneAtATime(async () => ((await rolledBack()) === undefined ? runNoted(operation, work) : work())),
    interrupted: async () => {
      const { event } = await readEnd(log, stream).catch(() => ({ event: undefined }));
      if (event === undefined) return [];
      const note = noteIn(event);
      return interruptedIn(note, isHeld(event, note, leaseMs)).map(
        (operation) => `The operation was interrupted, run it again: ${operation}.`,
      );
    },
  };
};

/** Returns the operations that did not end, according to a note.
 * @param isRunning whether the operation in the note still runs */
const interruptedIn = (note: LeaseNote<Noted> | undefined, isRunning: boolean): readonly string[] => {
  if (note === undefined) return [];
  const { operation, interrupted } = note.progress;
  return note.holder === null || operation === null || isRunning ? interrupted : withLast(interrupted, operation);
};

const without = (names: readonly string[], name: string): readonly string[] => names.filter((one) => one !== name);

const withLast = (names: readonly string[], name: string): readonly string[] => [...without(names, name), name].slice(-interruptedMax);

const seal = (note: LeaseNote<Noted>) => sealHousekeeping({ type: 'OperationNoted', version: 1, content: note, origin: operators });

const noteIn = ({ content }: RecordedEvent): LeaseNote<Noted> | undefined => (content === null ? undefined : JSON.parse(content));
