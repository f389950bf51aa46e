import { Unavailable } from '@waymark/domain/unavailable.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import { streamWaitingBytesMax } from '../limits.ts';
import { give, isDue, type Reader, textOf } from './reader.ts';
import type { StreamSource } from './source.ts';

/** Delivers new entries to the streams of one thread. */
export type Delivery = {
  /** Looks for new entries, unless that is in progress. Streams with the same question share one answer; one question is asked at a time. */
  readonly run: () => Promise<void>;
};

export type DeliveryOptions = {
  /** The open streams. */
  readonly readers: ReadonlyMap<Reader, unknown>;
  readonly source: StreamSource;
  /** Ends a stream because of an error. */
  readonly fail: (reader: Reader, error: unknown) => void;
};

export const createDelivery = ({ readers, source, fail }: DeliveryOptions): Delivery => {
  let isRunning = false;

  /** Delivers the next part to streams with the same question. Returns whether there is more for one of them. */
  const deliver = async (same: readonly Reader[], at: Position): Promise<boolean> => {
    const [first] = same;
    if (first === undefined) return false;
    try {
      const part = await source.ask({ ...first.question, after: first.after }, at);
      if (part.outcome !== 'later-part') throw new Error(`"${part.outcome}" is no part of a stream`);
      const text = textOf(part, first);
      for (const reader of same) if (readers.has(reader)) give(reader, part, text, at);
      for (const { writer } of same) if (!part.isEnd && writer.waitingBytes() > streamWaitingBytesMax) void writer.drained().then(run);
      return !part.isEnd;
    } catch (error) {
      // The next look asks again.
      if (!(error instanceof Unavailable)) for (const reader of same) fail(reader, error);
      return false;
    }
  };

  const look = async (): Promise<boolean> => {
    const ofAccounts = [...Map.groupBy(readers.keys(), ({ question }) => question.account)];
    const positions = await source.positions(ofAccounts.map(([account]) => account));
    let isMore = false;
    for (const [nth, [, ofAccount]] of ofAccounts.entries()) {
      const at = positions[nth] ?? -1;
      const due = ofAccount.filter((reader) => readers.has(reader) && isDue(reader, at));
      const groups = Map.groupBy(due, ({ question, after }) => JSON.stringify([after, question]));
      for (const same of groups.values()) if (await deliver(same, at)) isMore = true;
    }
    return isMore;
  };

  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      while (await look());
    } catch (error) {
      if (!(error instanceof Unavailable)) for (const reader of readers.keys()) fail(reader, error);
    } finally {
      isRunning = false;
    }
  };
  return { run };
};
