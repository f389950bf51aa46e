import { someInstallation } from '@waymark/broker/testing/some-records.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { partitionOf } from '@waymark/domain/partitions.ts';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { type KnownFacts, noIds } from '@waymark/event-log/facts/facts.ts';
import type { KnownLog } from '@waymark/event-log/facts/known-log.ts';
import { someEvent } from '@waymark/event-log/testing/some-events.ts';
import type { History } from '../ports.ts';

/** A log in memory, with housekeeping between its events. */
export type FakeLog = History & {
  /** Appends an event of an account, after some housekeeping events, so that positions have gaps. */
  readonly append: (account: string, housekeeping?: number) => RecordedEvent;
  readonly keepHouse: () => void;
  /** Returns all events of a partition after one position, up to another. */
  readonly of: (partition: number, after: number, through: number) => RecordedEvent[];
  /** Returns the ids of the events in a partition, for comparison. */
  readonly partition: (partition: number) => string[];
  /** Makes the next `times` queries and batches fail. */
  readonly fail: (times: number) => void;
  /** Rolls the log back: events after a position are gone. */
  readonly cut: (head: number) => void;
  readonly renew: () => void;
  /** Gives the log another name, without its former names. */
  readonly forgetName: () => void;
  readonly known: KnownLog;
};

/** Creates a signal that wakes all waiting readers. */
const createWakeSignal = () => {
  let waiting: (() => void)[] = [];
  return {
    wake: (): void => {
      const all = waiting;
      waiting = [];
      for (const resolve of all) resolve();
    },
    woken: (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
};

const knownOf = (end: () => Pick<KnownFacts, 'incarnation' | 'head' | 'event'>, former: () => readonly string[]): KnownLog => ({
  facts: async () => ({ ...end(), stream: 'pinpoint-1', revision: 0, ids: noIds }),
  formerNames: async () => former(),
  eventAt: async () => undefined,
});

// Long because all its methods work on the same events.
export const fakeLog = (partitions: number, batchMax = 7): FakeLog => {
  let events: RecordedEvent[] = [];
  let head = 0;
  let incarnation = 'log-1';
  let former: readonly string[] = [];
  let failures = 0;
  const { wake, woken } = createWakeSignal();

  const mayFail = (): void => {
    if (failures === 0) return;
    failures -= 1;
    throw new LogUnavailable('The log is unavailable.');
  };
  const partitionOfEvent = ({ envelope }: RecordedEvent): number => partitionOf(envelope.account, partitions);
  return {
    state: async () => {
      mayFail();
      return { incarnation, installation: someInstallation, head };
    },
    subscribeToHistory: async (after, handle, signal) => {
      for (let at = after; !signal.aborted; ) {
        const batch = events.filter(({ position }) => position > at).slice(0, batchMax);
        const through = batch.length === batchMax ? (batch.at(-1)?.position ?? head) : head;
        if (through > at) {
          mayFail();
          await handle({ events: batch, through });
          at = through;
        } else await woken(signal);
      }
    },
    append: (account, housekeeping = 0) => {
      head += 1 + housekeeping;
      const event = someEvent();
      const recorded = { stream: 'pinpoint-1', revision: 0, position: head, ...event, envelope: { ...event.envelope, account } };
      events.push(recorded);
      wake();
      return recorded;
    },
    keepHouse: () => {
      head += 1;
      wake();
    },
    of: (partition, after, through) =>
      events.filter((event) => event.position > after && event.position <= through && partitionOfEvent(event) === partition),
    partition: (partition) => events.filter((event) => partitionOfEvent(event) === partition).map(({ envelope }) => envelope.id),
    fail: (times) => {
      failures = times;
    },
    cut: (to) => {
      head = to;
      events = events.filter(({ position }) => position <= to);
    },
    forgetName: () => {
      incarnation = 'log-0';
    },
    known: knownOf(
      () => ({ incarnation, head, event: events.at(-1)?.envelope.id ?? '' }),
      () => former,
    ),
    renew: () => {
      former = [...former, incarnation];
      incarnation = `${incarnation}'`;
    },
  };
};
