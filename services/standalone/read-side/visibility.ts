import type { Position } from '@waymark/event-log/event-log.ts';

/** Waits, bounded, until every reader sees what stands at a position. False: not in time. */
export type Visible = (position: Position) => boolean | Promise<boolean>;

type Waiter = { readonly position: Position; readonly settle: (visible: boolean) => void };

/** `followed`: where the read side stands; `onFollowed` tells when that changes. */
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
