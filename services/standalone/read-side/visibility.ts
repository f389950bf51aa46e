import type { Position } from '@waymark/event-log/event-log.ts';

/** Waits, for a limited time, until every reader sees the events up to a position. False if the time was too short. */
export type Visible = (position: Position) => boolean | Promise<boolean>;

type Waiter = { readonly position: Position; readonly settle: (visible: boolean) => void };

/** Creates the wait for visibility. `followed` returns the position of the read models; `onFollowed` registers a listener for its changes. */
export const createVisibility = (
  followed: () => Position,
  onFollowed: (listener: (position: Position) => void) => void,
  waitMs: number,
): Visible => {
  const waiters = new Set<Waiter>();
  onFollowed((position) => {
    for (const waiter of waiters) if (waiter.position <= position) waiter.settle(true);
  });
  return (position) => {
    if (position <= followed()) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.settle(false), waitMs);
      const waiter: Waiter = {
        position,
        settle: (visible) => {
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve(visible);
        },
      };
      waiters.add(waiter);
    });
  };
};
