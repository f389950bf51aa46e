import { partitionOf } from '@waymark/domain/partitions.ts';
import type { Announcements } from './announcements.ts';
import { createPositionTracker } from './position-tracker.ts';

/** Whether every reader sees what stands at a position of an account's order; waits for it, bounded. False: not in time. */
export type VisibilityWaiter = (account: string, position: number) => boolean | Promise<boolean>;

export type VisibilityWaiterOptions = {
  /** That the accounts are spread over. */
  readonly partitions: number;
  /** How far every generation that counts stands in a partition: what the read side itself says. May throw, and may never answer. */
  readonly visiblePosition: (partition: number) => Promise<number>;
  /** Without any, the read side is asked. */
  readonly announcements?: Announcements | undefined;
  /** Names of the generations whose readers must see it. None: nobody can read. May throw, which means the same. A name is never given to
   * another generation. */
  readonly waited: () => readonly string[];
  /** The bound. */
  readonly waitMs: number;
  /** Who comes when so many wait is not waited for. */
  readonly waitersMax?: number;
};

const waitersMaxDefault = 10_000;
/** The read side is asked so long after the wait began, then again and again. */
const firstLooksMs = [10, 50, 250] as const;
const looksEveryMs = 250;
/** A partition that was announced so lately will be announced again: the first looks at it are spared. Busy writers would ask all the time
 * for what they are about to be told. */
const heardMs = 1_000;
const looksSpared = 2;
/** An answer that did not come by then is waited for no longer. */
const lookMs = 2_000;

type Waiter = { readonly position: number; readonly settle: (visible: boolean) => void };

/** A partition, who waits for it, and the look at the read side that all of them share. */
type Queue = { readonly partition: number; readonly waiters: Set<Waiter>; lookingSinceMs: number | undefined; again: boolean };

/** `visible` of the commands where the read side is filled elsewhere: by announcement, else by asking it. */
export const createVisibilityWaiter = (options: VisibilityWaiterOptions): VisibilityWaiter => {
  const { partitions, waitMs, waitersMax = waitersMaxDefault } = options;
  const waited = (): readonly string[] => orNone(options.waited);
  const positions = createPositionTracker(partitions, waited);
  const queues: readonly Queue[] = Array.from({ length: partitions }, (_, partition) => emptyQueue(partition));
  let waiting = 0;

  const release = ({ partition, waiters }: Queue): void => {
    if (waiters.size === 0) return;
    const visible = positions.of(partition);
    for (const waiter of waiters) if (waiter.position <= visible) waiter.settle(true);
  };

  const look = async (queue: Queue): Promise<void> => {
    const { partition } = queue;
    const startedMs = performance.now();
    if (queue.lookingSinceMs !== undefined && startedMs - queue.lookingSinceMs < lookMs) {
      queue.again = true;
      return;
    }
    queue.lookingSinceMs = startedMs;
    queue.again = false;
    const names = waited();
    positions.told(names, partition, await orUnknown(() => options.visiblePosition(partition)));
    release(queue);
    if (queue.lookingSinceMs !== startedMs) return;
    queue.lookingSinceMs = undefined;
    if (queue.again && queue.waiters.size > 0) void look(queue);
  };

  const wait = async (queue: Queue, position: number): Promise<boolean> => {
    waiting += 1;
    try {
      return await settled(queue, position, waitMs, (looks) => {
        if (looks >= looksSpared || !positions.heard(queue.partition, heardMs)) void look(queue);
      });
    } finally {
      waiting -= 1;
    }
  };

  options.announcements?.subscribe((announcements) => {
    for (const announcement of announcements) positions.announced(announcement);
    for (const partition of new Set(announcements.map((announcement) => announcement.partition))) {
      const queue = queues[partition];
      if (queue) release(queue);
    }
  });

  return (account, position) => {
    const partition = partitionOf(account, partitions);
    // 0 stands before every event: whoever speaks of it was told by the read side.
    if (position <= 0 || position <= positions.of(partition)) return true;
    const queue = queues[partition];
    return queue === undefined || waiting >= waitersMax ? false : wait(queue, position);
  };
};

/** Waits in the queue, looking again and again, until somebody settles it or the bound is reached. */
const settled = ({ waiters }: Queue, position: number, waitMs: number, look: (looks: number) => void): Promise<boolean> =>
  new Promise((resolve) => {
    const startedMs = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const waiter: Waiter = {
      position,
      settle: (visible) => {
        clearTimeout(timer);
        waiters.delete(waiter);
        resolve(visible);
      },
    };
    const turn = (looks: number): void => {
      const waitedMs = performance.now() - startedMs;
      if (waitedMs >= waitMs) waiter.settle(false);
      else timer = setTimeout(lookAndWait, Math.max(0, Math.min(waitMs, lookAtMs(looks)) - waitedMs), looks);
    };
    const lookAndWait = (looks: number): void => {
      if (lookAtMs(looks) < waitMs) look(looks);
      turn(looks + 1);
    };
    waiters.add(waiter);
    turn(0);
  });

/** When, after its begin, a wait looks for this time, from 0. */
const lookAtMs = (looks: number): number => firstLooksMs[looks] ?? (looks - firstLooksMs.length + 2) * looksEveryMs;

const emptyQueue = (partition: number): Queue => ({ partition, waiters: new Set(), lookingSinceMs: undefined, again: false });

const orUnknown = async (look: () => Promise<number>): Promise<number> => {
  try {
    return await look();
  } catch {
    return -1;
  }
};

const orNone = (waited: () => readonly string[]): readonly string[] => {
  try {
    return waited();
  } catch {
    return [];
  }
};
