import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EventLog, type Position, subscriptionEventsMax } from '../event-log.ts';
import type { Moves } from './moves.ts';
import type { LogReader } from './reader.ts';

/** The head of the log: its position, and how to wait for the next one. */
export type Head = { readonly at: () => Position } & Pick<Moves, 'listen'>;

/** Returns a function that reads on from where it stopped. At the head it waits until the writer reports more events. */
export const createSubscribe =
  (read: LogReader['after'], head: Head): EventLog['subscribe'] =>
  async (after, handle, signal) => {
    let at = after;
    while (!signal.aborted) {
      const reached = head.at();
      const batch = read(at, subscriptionEventsMax);
      const last = batch.at(-1);
      if (last === undefined) {
        // Not the position of the last event: another program may have deleted the events up to the head.
        await headBeyond(head, Math.max(at, reached), signal);
        continue;
      }
      await handle(batch);
      at = last.position;
      await nextTurn(); // a long history must not block other work
    }
  };

const headBeyond = async (head: Head, position: Position, signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      unlisten();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const check = (): void => {
      if (head.at() > position) done();
    };
    const unlisten = head.listen(check);
    signal.addEventListener('abort', done);
    check();
  });
};
