import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { prunedStream, requestStream, tokenStream } from '@waymark/domain/streams.ts';
import type { EventLog, Position, Revision } from '@waymark/event-log/event-log.ts';
import { newEventId, seal } from '@waymark/event-log/seal.ts';
import type { Logger } from 'pino';

export type HousekeepingOptions = {
  readonly log: EventLog;
  /** Drops what a stream has before a revision. @throws LogUnavailable */
  readonly truncate: (stream: string, before: number) => Promise<void>;
};

/** Tokens live for ten hours, idempotency keys count for 24: what is older than twice that is of no use to anybody. */
const keptMs = 48 * 60 * 60_000;
const intervalMs = 60 * 60_000;
/** Events that one run drops; what is left goes with the next. */
const droppedMax = 100_000;
const truncationsAtOnce = 16;
/** Events that a run may have read in vain without noting it. */
const notedEvery = 10_000;

/** Drops, now and then, expired tokens and claims of idempotency keys. @returns how to stop */
export const housekeeping = (options: HousekeepingOptions, logger: Pick<Logger, 'debug' | 'warn'>): (() => void) => {
  const closing = new AbortController();
  const { signal } = closing;
  const sweep = async (): Promise<void> => {
    while (!signal.aborted) {
      // Not at the start: several processes may have been started at once.
      await pause(intervalMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const dropped = await dropExpired(options, { beforeMs: Date.now() - keptMs, signal });
        logger.debug({ dropped }, 'dropped what has expired');
      } catch (error) {
        logger.warn({ err: error }, 'what has expired could not be dropped; it is tried again');
      }
    }
  };
  void sweep();
  return () => closing.abort();
};

/** One run: goes on in the log where the last one ended, and drops tokens and claims of before a time, by their own time. Setting an expiry
 * with each append would double the appends, of which a request waits for. Done by two at once, or again, it does no harm.
 * @returns how many events were dropped @throws LogUnavailable, AppendUndecided */
export const dropExpired = async (
  { log, truncate }: HousekeepingOptions,
  { beforeMs, signal, most = droppedMax }: { readonly beforeMs: number; readonly signal: AbortSignal; readonly most?: number },
): Promise<number> => {
  const [{ head }, reached] = [await log.state(), await readReached(log)];
  let [through, dropped, read] = [reached.through, 0, 0];
  if (through >= head) return 0;
  const done = new AbortController();
  await log.subscribe(
    through,
    async (batch) => {
      const end = batch.findIndex(({ envelope, position }) => Date.parse(envelope.time) >= beforeMs || position > head);
      const old = end < 0 ? batch : batch.slice(0, end);
      const expired = old.filter(expires);
      // Of each stream the last one: two truncations of a stream at once would be in each other's way.
      const ends = [...new Map(expired.map(({ stream, revision }) => [stream, revision + 1]))];
      for (let from = 0; from < ends.length; from += truncationsAtOnce) {
        await Promise.all(ends.slice(from, from + truncationsAtOnce).map(([stream, before]) => truncate(stream, before)));
      }
      dropped += expired.length;
      read += old.length;
      through = old.at(-1)?.position ?? through;
      if (end >= 0 || through >= head || dropped >= most) done.abort();
    },
    AbortSignal.any([signal, done.signal]),
  );
  // A short stretch without anything to drop is read again: a log that nobody uses is not written to.
  if (dropped > 0 || read >= notedEvery) await log.append(prunedStream, [pruned(through)], reached.revision);
  return dropped;
};

const expires = ({ stream }: RecordedEvent): boolean => stream.startsWith(tokenStream('')) || stream.startsWith(requestStream(''));

const readReached = async (log: EventLog): Promise<{ readonly through: Position; readonly revision: Revision }> => {
  const [revision = 'none'] = await log.lastRevisions([prunedStream]);
  const [last] = revision === 'none' ? [] : await log.read(prunedStream, revision);
  const stored: StoredProgress = JSON.parse(last?.content ?? '{"through":0}');
  return { through: stored.through, revision };
};

/** Content of `ExpiredDropped`. Stored: never rename. */
type StoredProgress = { readonly through: number };

const toStored = (reached: Position): StoredProgress => ({ through: reached });

const pruned = (through: Position) =>
  seal({
    id: newEventId(),
    type: 'ExpiredDropped',
    version: 1,
    content: JSON.stringify(toStored(through)),
    account: '',
    origin: { actor: 'waymark', token: null, request: null },
    sanitized: false,
  });
