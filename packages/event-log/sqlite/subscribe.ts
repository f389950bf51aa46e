import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EventLog, type Position, subscriptionEventsMax } from '../event-log.ts';
import type { LogReader } from './reader.ts';

/** A position that changes, and the listeners that are notified of each change. */
export type HeadSignal = {
  readonly at: () => Position;
  readonly move: (to: Position) => void;
  /** Adds a listener.
   * @returns a function that removes it */
  readonly listen: (listener: (at: Position) => void) => () => void;
};

export const createHeadSignal = (): HeadSignal => {
  const listeners = new Set<(at: Position) => void>();
  let position: Position = 0;
  return {
    at: () => position,
    move: (to) => {
      if (to === position) return;
      position = to;
      for (const listener of [...listeners]) listener(to);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

/** Returns a function that reads on from where it stopped. At the head it waits until the writer reports more events. */
export const createSubscribe =
  (read: LogReader['after'], head: HeadSignal): EventLog['subscribe'] =>
  async (after, handle, signal) => {
    let at = after;
    while (!signal.aborted) {
      const batch = read(at, subscriptionEventsMax);
      const last = batch.at(-1);
      if (last === undefined) {
        await headBeyond(head, at, signal);
        continue;
      }
      await handle(batch);
      at = last.position;
      await nextTurn(); // a long history must not block other work
    }
  };

const headBeyond = async (head: HeadSignal, position: Position, signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      unlisten();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const unlisten = head.listen((at) => at > position && done());
    signal.addEventListener('abort', done);
  });
};
