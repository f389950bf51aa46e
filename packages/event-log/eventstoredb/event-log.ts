import { planErasure, recordErasure } from '../erasure/erased-streams.ts';
import { type EventLog, type Position, readEventsMax } from '../event-log.ts';
import type { KnownLog } from '../facts/known-log.ts';
import { createAppend } from './append.ts';
import { createLogReads } from './calls.ts';
import { type LogLogger, openConnection } from './connection.ts';
import { createErasedReads, withErasedEvents } from './erased-events.ts';
import { checkStream, recorded, whole } from './events.ts';
import { knownLog } from './facts.ts';
import { createIdentity } from './identity.ts';
import { createLastRevisions } from './last-revisions.ts';
import { callMsDefault } from './limits.ts';
import { createSubscribe, type Delivered, history, type Scope, wholeLog } from './subscribe.ts';
import { createTruncate } from './truncate.ts';
import { clientMaker, parseUrl } from './url.ts';

export { type Delivered, LogReplaced } from './subscribe.ts';

/** The log in EventStoreDB 23.10 or later, or KurrentDB. `follow` and `history` connect again by themselves; they reject with LogReplaced
 * where the log has another incarnation then. */
export type EventStoreLog = EventLog & {
  /** Like `follow`, but of aggregates' streams only, chosen by the server. Tells at least once in `quietMs` how far the log was passed, also
   * where all that came was housekeeping: `through` is the last event's position, or beyond it, and no event of an aggregate that was not
   * handed over stands at or before it.
   * @param after 0, or a position that this log has given */
  readonly history: (after: Position, handle: (passed: Delivered) => Promise<void>, signal: AbortSignal) => Promise<void>;
  /** Gives the log another incarnation, if it still has the one expected.
   * @param aside names of this log that it does not know, because it was rolled back: from now on they count as former ones
   * @returns the new one; undefined where it has another by now @throws LogUnavailable, AppendUndecided */
  readonly renewIncarnation: (expected: string, aside?: readonly string[]) => Promise<string | undefined>;
  /** What is known of the log by now. */
  readonly known: KnownLog;
  /** Drops what a stream has before a revision, without a word: of housekeeping. Reads of it begin there from now on; the octets go with the
   * next scavenge. @throws LogUnavailable */
  readonly truncate: (stream: string, before: number) => Promise<void>;
  /** Takes no more calls, waits for appends on their way, ends what follows (with LogUnavailable) and every connection. */
  readonly close: () => Promise<void>;
};

export type EventStoreLogOptions = {
  /** `esdb://user:password@host:2113?tlsCAFile=…`, `esdb+discover://…`, several hosts; `?tls=false` for a server without TLS. */
  readonly url: string;
  /** Certificates (PEM) of the authorities that are trusted, instead of the public ones and of `tlsCAFile`. */
  readonly ca?: string | undefined;
  /** How long a call may be silent. */
  readonly callMs?: number | undefined;
  readonly logger?: LogLogger | undefined;
};

/** Connects when it is first used, and again whenever the connection ends.
 * @throws Error where the URL is none, without a word of what stands in it, or names an authority's file that cannot be read */
export const openEventStoreLog = ({ url, ca, callMs = callMsDefault, logger }: EventStoreLogOptions): EventStoreLog => {
  const target = parseUrl(url);
  if (target.credentials && !target.isSecure)
    logger?.warn({}, 'User and password of the event store are not sent: its URL says tls=false.');
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
    history: followed(history),
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

/** Events that are not ours are passed over: streams may have been written to by others. */
const readStream =
  (read: ReturnType<typeof createLogReads>): EventLog['read'] =>
  async (stream, from) => {
    checkStream(stream);
    const events = [];
    for (let next = from; ; ) {
      const fromRevision = BigInt(next);
      const page = await read((client) => client.readStream(stream, { fromRevision, maxCount: readEventsMax, requiresLeader: true }));
      for (const { event } of page) {
        const ours = event && recorded(event);
        if (ours) events.push(ours);
        if (event) next = whole(event.revision) + 1;
      }
      if (page.length < readEventsMax || events.length >= readEventsMax) return events.slice(0, readEventsMax);
    }
  };
