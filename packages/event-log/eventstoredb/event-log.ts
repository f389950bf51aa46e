import { planErasure, recordErasure } from '../erasure/erased-streams.ts';
import { type EventLog, type Position, readEventsMax } from '../event-log.ts';
import type { KnownLog } from '../facts/known-log.ts';
import { createAppend } from './append.ts';
import { createLogReads } from './calls.ts';
import { type LogLogger, openConnection } from './connection.ts';
import { createErasedReads, withErasedEvents } from './erased-events.ts';
import { checkStream, fromStoredEvent, toSafeInteger } from './events.ts';
import { knownLog } from './facts.ts';
import { createIdentity } from './identity.ts';
import { createLastRevisions } from './last-revisions.ts';
import { callMsDefault } from './limits.ts';
import { createSubscribe, type Delivered, history, refusals, type Scope, wholeLog } from './subscribe.ts';
import { createTruncate } from './truncate.ts';
import { clientMaker, parseUrl } from './url.ts';

export { type Delivered, LogReplaced } from './subscribe.ts';

/** The log in EventStoreDB 23.10 or later, or KurrentDB. `subscribe` and `history` reconnect by themselves. They reject with LogReplaced
 * where the log then has another incarnation. */
export type EventStoreLog = EventLog & {
  /** Like `subscribe`, but delivers only events of aggregates' streams, which the server selects. Reports at least once in `quietMs` how
   * far the log was passed, even where it held only housekeeping. `through` is the position of the last event, or beyond it; all events of
   * aggregates up to `through` are delivered.
   * @param after 0, or a position that this log has returned */
  readonly subscribeToHistory: (after: Position, handle: (passed: Delivered) => Promise<void>, signal: AbortSignal) => Promise<void>;
  /** As `subscribeToHistory`, for the streams of refused requests. */
  readonly subscribeToRefusals: EventStoreLog['subscribeToHistory'];
  /** Gives the log another incarnation, if it still has the expected one.
   * @param aside incarnations of this log that it does not know because it was rolled back: from now on they count as former ones
   * @returns the new one; undefined where the log has another one by now
   * @throws LogUnavailable, AppendUndecided */
  readonly renewIncarnation: (expected: string, aside?: readonly string[]) => Promise<string | undefined>;
  /** Reads the facts of the log. */
  readonly known: KnownLog;
  /** Drops the events of a stream before a revision without recording it; for housekeeping streams. Later reads of the stream begin at that
   * revision; the next scavenge removes the bytes.
   * @throws LogUnavailable */
  readonly truncate: (stream: string, before: number) => Promise<void>;
  /** Accepts no more calls, waits for the appends in progress, and ends all subscriptions (with LogUnavailable) and every connection. */
  readonly close: () => Promise<void>;
};

export type EventStoreLogOptions = {
  /** The connection string: `esdb://user:password@host:2113?tlsCAFile=…`, `esdb+discover://…`, several hosts; `?tls=false` for a server
   * without TLS. */
  readonly url: string;
  /** The certificates (PEM) of the trusted authorities. They replace the public authorities and `tlsCAFile`. */
  readonly ca?: string | undefined;
  /** How long a call may be silent, in milliseconds. */
  readonly callMs?: number | undefined;
  readonly logger?: LogLogger | undefined;
};

/** Opens the log. It connects when it is first used, and again whenever the connection ends.
 * @throws Error where the URL is invalid, without quoting it, or where it names a CA file that cannot be read */
export const openEventStoreLog = ({ url, ca, callMs = callMsDefault, logger }: EventStoreLogOptions): EventStoreLog => {
  const target = parseUrl(url);
  if (target.credentials && !target.isSecure)
    logger?.warn({}, 'The user and password of the event store are not sent, because its URL has tls=false.');
  const connection = openConnection(clientMaker(target, ca), callMs);
  const read = createLogReads(connection, callMs);
  const { lastRevisions: last, owners, lastOf } = createLastRevisions(read);
  const { append, idle } = createAppend(connection, callMs, lastOf);
  const identity = createIdentity(read, append);
  const { state, incarnation, renewIncarnation } = identity;
  const log = { connection, read, callMs, incarnation, logger };
  const readOn = readStream(read);
  const truncate = createTruncate(connection, read, callMs);
  const followed = (scope: Scope) => withErasedEvents(createSubscribe(log, scope), readOn, connection.closing);
  const followAll = followed(wholeLog);
  return {
    append,
    read: createErasedReads(readOn),
    lastRevisions: last,
    owners,
    subscribe: (after, handle, signal) => followAll(after, async ({ events }) => (events.length > 0 ? handle(events) : undefined), signal),
    subscribeToHistory: followed(history),
    subscribeToRefusals: followed(refusals),
    state,
    renewIncarnation,
    known: knownLog(read, identity),
    eraseBefore: async (stream, before, summary) => {
      await recordErasure({ append, read: readOn }, await planErasure(readOn, stream, before, summary));
      await truncate(stream, before);
      return 'truncated';
    },
    truncate,
    close: () => connection.close(idle),
  };
};

/** Reads a stream. It skips events that Waymark did not write: other programs may have written to the stream. */
const readStream =
  (read: ReturnType<typeof createLogReads>): EventLog['read'] =>
  async (stream, from) => {
    checkStream(stream);
    const events = [];
    for (let next = from; ; ) {
      const fromRevision = BigInt(next);
      const page = await read((client) => client.readStream(stream, { fromRevision, maxCount: readEventsMax, requiresLeader: true }));
      for (const { event } of page) {
        const ours = event && fromStoredEvent(event);
        if (ours) events.push(ours);
        if (event) next = toSafeInteger(event.revision) + 1;
      }
      if (page.length < readEventsMax || events.length >= readEventsMax) return events.slice(0, readEventsMax);
    }
  };
