import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { partitionOf } from '@waymark/domain/partitions.ts';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import type { History } from '../ports.ts';
import { createWakeSignal } from '../wake-signal.ts';

export const modelPartitions = 3;

/** One account for each partition. */
const accounts = Array.from({ length: modelPartitions }, (_, partition) => {
  for (let nth = 0; ; nth += 1) if (partitionOf(`account-${nth}`, modelPartitions) === partition) return `account-${nth}`;
});

export type ModelLog = History & {
  /** Appends an event to the order of a partition; `undefined`: a housekeeping event.
   * @returns its position */
  readonly append: (partition: number | undefined, type?: string, content?: string) => number;
  readonly eventsOf: (partition: number) => readonly RecordedEvent[];
  readonly head: () => number;
  /** Replaces the log by another one with the events up to a position. */
  readonly renew: (incarnation: string, upTo: number) => void;
  readonly incarnation: () => string;
  /** Sets whether the log is unavailable. */
  readonly setUnavailable: (isUnavailable: boolean) => void;
};

/** Creates a log in memory.
 * @param failsNext whether the next call fails */
export const modelLog = (failsNext: () => boolean = () => false, batch = 7): ModelLog => {
  let events: RecordedEvent[] = [];
  let head = 0;
  let incarnation = 'first';
  let isUnavailable = false;
  const appendSignal = createWakeSignal();
  const check = (): void => {
    if (isUnavailable || failsNext()) throw new LogUnavailable('The log is unavailable.');
  };
  return {
    append: (partition, type = 'PinpointEdited', content = '{}') => {
      head += 1 + (head % 3);
      if (partition !== undefined) events.push(modelEvent(head, accounts[partition] as string, type, content));
      appendSignal.wake();
      return head;
    },
    eventsOf: (partition) => events.filter(({ envelope }) => envelope.account === accounts[partition]),
    head: () => head,
    incarnation: () => incarnation,
    renew: (name, upTo) => {
      incarnation = name;
      events = events.filter(({ position }) => position <= upTo);
      head = Math.min(head, upTo);
    },
    setUnavailable: (now) => {
      isUnavailable = now;
    },
    state: async () => {
      check();
      return { incarnation, installation: 'model', head };
    },
    subscribeToHistory: async (after, handle, signal) => {
      for (let cursor = after; !signal.aborted; ) {
        const growth = appendSignal.next();
        check();
        const next = events.filter(({ position }) => position > cursor).slice(0, batch);
        const through = next.length < batch ? head : (next.at(-1)?.position ?? head);
        if (through > cursor) await handle({ events: next, through });
        else await Promise.race([growth, pause(50, undefined, { signal }).catch(() => undefined)]);
        cursor = Math.max(cursor, through);
      }
    },
  };
};

const modelEvent = (position: number, account: string, type: string, content: string): RecordedEvent => ({
  stream: `pinpoint-${position}`,
  revision: 0,
  position,
  envelope: {
    id: `event-${position}`,
    type,
    version: 1,
    account,
    actor: 'model',
    token: null,
    request: null,
    correlation: '',
    cause: null,
    time: new Date().toISOString(),
    release: '0.0.0',
    commitment: '',
    sanitized: false,
  },
  salt: '',
  content,
});
