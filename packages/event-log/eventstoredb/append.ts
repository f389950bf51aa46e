import { type AppendResult, type BinaryEventData, type ExpectedRevision, NO_STREAM } from '@eventstore/db-client';
import { type Appended, AppendUndecided, type EventLog, LogUnavailable, type Revision } from '../event-log.ts';
import { Silence, textOf, typeOf, withTimeout } from './calls.ts';
import type { Connection } from './connection.ts';
import { bytesIn, checkStream, toSafeInteger, toStoredEvents } from './events.ts';
import { appendDeadlineMs, waitingMax } from './limits.ts';

type Append = { readonly stream: string; readonly events: BinaryEventData[]; readonly expected: Revision };
type Outcome = Appended | { readonly outcome: 'begun already'; readonly last: number };

export type Appending = {
  readonly append: EventLog['append'];
  /** Settles once no append is in progress. */
  readonly idle: () => Promise<void>;
};

/** Creates the log's `append`.
 * @param callMs how long an append may take, with all its calls that write
 * @param last returns the last revision of a stream that can be read */
export const createAppend = (connection: Connection, callMs: number, last: (stream: string) => Promise<Revision>): Appending => {
  const room = waitingRoom();
  const append = async (work: Append): Promise<Appended> => {
    const untilMs = performance.now() + callMs;
    const outcome = await tryAppend(connection, callMs, work);
    if (outcome.outcome !== 'begun already') return outcome;
    // The stream's events may all have expired or been truncated. The stream then restarts after its former revisions.
    if ((await last(work.stream)) !== 'none') return conflict;
    const leftMs = untilMs - performance.now();
    // Closing writes relies on it: nothing is sent later than one call may take.
    if (leftMs <= 0) throw new LogUnavailable('The event store took too long to refuse the append.');
    const again = await tryAppend(connection, leftMs, { ...work, expected: outcome.last });
    return again.outcome === 'begun already' ? conflict : again;
  };
  return {
    append: async (stream, events, expected) => {
      checkStream(stream);
      const work = { stream, events: toStoredEvents(events), expected };
      const leave = room.enter(bytesIn(work.events));
      return append(work).finally(leave);
    },
    idle: room.empty,
  };
};

/** Limits the number and the size of the appends that wait for a server that hangs. */
const waitingRoom = () => {
  let [appends, bytes] = [0, 0];
  let watchers: (() => void)[] = [];
  return {
    /** Reserves room for an append.
     * @returns a function that releases the room
     * @throws LogUnavailable */
    enter: (size: number) => {
      if (appends >= waitingMax.appends || bytes + size > waitingMax.bytes)
        throw new LogUnavailable('Too many appends are waiting for the event store.');
      appends += 1;
      bytes += size;
      return () => {
        appends -= 1;
        bytes -= size;
        if (appends > 0) return;
        for (const watcher of watchers) watcher();
        watchers = [];
      };
    },
    empty: () => (appends === 0 ? Promise.resolve() : new Promise<void>((resolve) => watchers.push(resolve))),
  };
};

const conflict: Appended = { outcome: 'conflict' };

/** Appends at an exact revision, always: only then does the server recognise a repeated append, whatever happened since. */
const tryAppend = async (connection: Connection, callMs: number, { stream, events, expected }: Append): Promise<Outcome> => {
  const client = connection.client();
  const expectedRevision: ExpectedRevision = expected === 'none' ? NO_STREAM : BigInt(expected);
  const options = { expectedRevision, deadline: appendDeadlineMs, requiresLeader: true };
  try {
    return outcomeOf(await withTimeout(callMs, client.appendToStream(stream, events, options)));
  } catch (error) {
    if (error instanceof Silence) connection.suspect(client);
    return refusalOf(error, expected);
  }
};

/** Converts the server's result. A success without a position is a repeat of events that were deleted since: nothing was written. */
const outcomeOf = ({ success, nextExpectedRevision, position }: AppendResult): Appended =>
  success && position
    ? { outcome: 'appended', revision: toSafeInteger(nextExpectedRevision), position: toSafeInteger(position.commit) }
    : conflict;

/** Converts the error of an append. Its outcome is definite only where the server certainly refused the append or never received it. Of all
 * other failed appends, a quarter has been written.
 * @throws LogUnavailable, AppendUndecided */
const refusalOf = (error: unknown, expected: Revision): Outcome => {
  switch (typeOf(error)) {
    case 'wrong-expected-version': {
      const last = actualRevisionOf(error);
      return expected === 'none' && last !== undefined ? { outcome: 'begun already', last } : conflict;
    }
    case 'stream-deleted':
      throw new LogUnavailable('The stream was deleted for good: nothing can be appended to it.', { cause: error });
    case 'access-denied':
      throw new LogUnavailable('The event store refuses the user and password.', { cause: error });
    case 'maximum-append-size-exceeded':
      throw new RangeError('The append is larger than the event store is configured to accept.', { cause: error });
    default:
      if (wasNeverSent(error)) throw new LogUnavailable('The event store cannot be reached.', { cause: error });
      throw new AppendUndecided('The outcome of the append is unknown.', { cause: error });
  }
};

const actualRevisionOf = (error: unknown): number | undefined => {
  const actual: unknown = error instanceof Object ? Reflect.get(error, 'actualVersion') : undefined;
  return typeof actual === 'bigint' && actual >= 0n ? toSafeInteger(actual) : undefined;
};

/** Returns whether the call never reached a connection. gRPC reports this only in the text of the message. */
const wasNeverSent = (error: unknown): boolean =>
  /^(?:14 UNAVAILABLE: )?(?:No connection established|Name resolution failed)|^Failed to discover after/.test(
    textOf(error, 'message') ?? '',
  );
