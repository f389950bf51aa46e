import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import { readErasedStreams } from '../erasure/erased-streams.ts';
import { readRemaining, toErasedEvent } from '../erasure/erasure-summary.ts';
import { type EventLog, LogUnavailable, type Position, readEventsMax, subscriptionEventsMax } from '../event-log.ts';
import { erasedStreamsCheckMs, erasedStreamsRetryMs } from './limits.ts';
import type { Delivered, SubscribeTo } from './subscribe.ts';

/** Wraps a subscription. It reads first which streams were erased, and delivers their erased events without content and salt, in their
 * place, whether or not the store still has them.
 * @param closing once it aborts, the subscription waits for nothing */
export const withErasedEvents =
  (follow: SubscribeTo, read: EventLog['read'], closing: AbortSignal): SubscribeTo =>
  async (after, handle, signal) => {
    const forgotten = createErasedStreams(read);
    const stop = AbortSignal.any([signal, closing]);
    let at = after;
    const handOver = async (passed: Delivered): Promise<void> => {
      const events = await retryUntilAvailable(() => forgotten.replaceErased(at, passed), stop);
      if (events === undefined && !signal.aborted) throw new LogUnavailable('The event log is closed.');
      if (events === undefined) return;
      for (const part of inParts(events, passed.through)) await handle(part);
      at = passed.through;
    };
    await follow(after, handOver, signal);
  };

/** Repeats a read until the log answers. Returns undefined when the signal aborts meanwhile. */
const retryUntilAvailable = async <Answer>(question: () => Promise<Answer>, stop: AbortSignal): Promise<Answer | undefined> => {
  while (!stop.aborted) {
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      await pause(erasedStreamsRetryMs, undefined, { signal: stop }).catch(() => undefined);
    }
  }
  return undefined;
};

/** Splits events into batches. The last batch reaches as far as all of them together. */
const inParts = (events: readonly RecordedEvent[], through: Position): readonly Delivered[] => {
  const parts: Delivered[] = [];
  for (let start = 0; start + subscriptionEventsMax < events.length; start += subscriptionEventsMax) {
    const part = events.slice(start, start + subscriptionEventsMax);
    parts.push({ events: part, through: part.at(-1)?.position ?? through });
  }
  return [...parts, { events: events.slice(parts.length * subscriptionEventsMax), through }];
};

/** A stream with erased events. Their remains are read when a subscriber comes near. */
type Stream = { before: number; first: Position; last: Position; left: RecordedEvent[] | undefined };

const createErasedStreams = (read: EventLog['read']) => {
  const streams = new Map<string, Stream>();
  /** The names of the streams whose erased events the subscriber has not passed yet. */
  let ahead: string[] = [];
  let [next, checkedAtMs] = [0, Number.NEGATIVE_INFINITY];

  const refreshErasedStreams = async (at: Position): Promise<void> => {
    if (performance.now() - checkedAtMs < erasedStreamsCheckMs) return;
    const found = await readErasedStreams(read, next);
    for (const { stream, before, first, last } of found.all) {
      if (before <= (streams.get(stream)?.before ?? 0)) continue;
      streams.set(stream, { before, first, last, left: undefined });
    }
    if (found.all.length > 0) ahead = [...streams].filter(([, { last }]) => last > at).map(([name]) => name);
    [next, checkedAtMs] = [found.next, performance.now()];
  };

  const leaveBehind = (through: Position): void => {
    for (const stream of streams.values()) if (stream.last <= through) stream.left = undefined;
    ahead = ahead.filter((name) => (streams.get(name)?.last ?? 0) > through);
  };

  /** Returns the remains of the erased events after a position and up to another. */
  const between = async (at: Position, through: Position): Promise<RecordedEvent[]> => {
    const events: RecordedEvent[] = [];
    let passed = false;
    for (const name of ahead) {
      const stream = streams.get(name);
      if (stream === undefined || stream.first > through) continue;
      stream.left ??= await leftIn(read, name, stream.before, at);
      events.push(...stream.left.filter(({ position }) => position > at && position <= through));
      passed ||= stream.last <= through;
    }
    if (passed) leaveBehind(through);
    return events;
  };

  const replaceErased = async (at: Position, { events, through }: Delivered): Promise<readonly RecordedEvent[]> => {
    await refreshErasedStreams(at);
    if (streams.size === 0) return events;
    const bare = events.map((event) => (event.revision < (streams.get(event.stream)?.before ?? 0) ? bared(event) : event));
    const there = new Set(bare.map(({ position }) => position));
    const gone = (await between(at, through)).filter(({ position }) => !there.has(position));
    return gone.length === 0 ? bare : [...bare, ...gone].sort((one, other) => one.position - other.position);
  };

  return { replaceErased };
};

/** Wraps `read`, so that it also returns the events that were dropped at the beginning of a stream, as far as a summary covers them. */
export const createErasedReads =
  (read: EventLog['read']): EventLog['read'] =>
  async (stream, from) => {
    const events = await read(stream, from);
    const first = events[0]?.revision ?? from;
    if (first === from || !isHistory(stream)) return events;
    const left: RecordedEvent[] = [];
    for await (const one of readRemaining(read, stream, from, first)) if (left.push(toErasedEvent(stream, one)) === readEventsMax) break;
    return left.at(-1)?.revision === first - 1 || left.length === readEventsMax ? [...left, ...events].slice(0, readEventsMax) : events;
  };

const bared = (event: RecordedEvent): RecordedEvent => ({ ...event, salt: null, content: null });

const leftIn = async (read: EventLog['read'], stream: string, before: number, after: Position): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const left of readRemaining(read, stream, 0, before)) if (left.position > after) events.push(toErasedEvent(stream, left));
  return events;
};
