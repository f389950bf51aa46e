import type { Announcements } from './announcements.ts';
import { createPositionTracker } from './position-tracker.ts';

/** Returns whether every reader sees the events of a partition up to a position. It waits for that up to a time limit; false where the limit
 * was reached. */
export type VisibilityWaiter = (partition: number, position: number) => boolean | Promise<boolean>;

export type VisibilityWaiterOptions = {
  /** The number of partitions that the accounts are spread over. */
  readonly partitions: number;
  /** Returns the position that every generation that counts has reached in a partition, as the read models report it. May throw, and may
   * never settle. */
  readonly visiblePosition: (partition: number) => Promise<number>;
  /** Without announcements, the read models are queried. */
  readonly announcements?: Announcements | undefined;
  /** Returns the names of the generations whose readers must see the event. If there are none, no reader can read. It may throw, which
   * means the same. A name is never used for another generation. */
  readonly awaited: () => readonly string[];
  /** The time limit of a wait. */
  readonly waitMs: number;
  /** The maximum number of concurrent waits. Further ones end at once. */
  readonly waitersMax?: number;
};

const waitersMaxDefault = 10_000;
/** When the read models are queried after the start of a wait, and how often after that. */
const firstQueriesMs = [10, 50, 250] as const;
const queryEveryMs = 250;
/** A partition that was announced within this time is likely to be announced again, so the first queries of a wait are skipped. Busy
 * writers would otherwise query all the time for positions that are about to be announced. */
const recentlyAnnouncedMs = 1_000;
const queriesSkipped = 2;
/** A query that was not answered within this time is given up. */
const queryTimeoutMs = 2_000;

type Waiter = { readonly position: number; readonly settle: (visible: boolean) => void };

/** A partition, its waits, and the query of the read models that they share. */
type Queue = { readonly partition: number; readonly waiters: Set<Waiter>; lookingSinceMs: number | undefined; again: boolean };

/** Creates the `visible` function of the commands where another process fills the read models. It uses announcements, and queries where
 * none arrive. */
export const createVisibilityWaiter = (options: VisibilityWaiterOptions): VisibilityWaiter => {
  const { partitions, waitMs, waitersMax = waitersMaxDefault } = options;
  const awaited = (): readonly string[] => orNone(options.awaited);
  const positions = createPositionTracker(partitions, awaited);
  const queues: readonly Queue[] = Array.from({ length: partitions }, (_, partition) => emptyQueue(partition));
  let waiting = 0;

  const release = ({ partition, waiters }: Queue): void => {
    if (waiters.size === 0) return;
    const visible = positions.of(partition);
    for (const waiter of waiters) if (waiter.position <= visible) waiter.settle(true);
  };

  const query = async (queue: Queue): Promise<void> => {
    const { partition } = queue;
    const startedMs = performance.now();
    if (queue.lookingSinceMs !== undefined && startedMs - queue.lookingSinceMs < queryTimeoutMs) {
      queue.again = true;
      return;
    }
    queue.lookingSinceMs = startedMs;
    queue.again = false;
    const names = awaited();
    positions.record(names, partition, await orUnknown(() => options.visiblePosition(partition)));
    release(queue);
    if (queue.lookingSinceMs !== startedMs) return;
    queue.lookingSinceMs = undefined;
    if (queue.again && queue.waiters.size > 0) void query(queue);
  };

  const wait = async (queue: Queue, position: number): Promise<boolean> => {
    waiting += 1;
    try {
      return await settled(queue, position, waitMs, (looks) => {
        if (looks >= queriesSkipped || !positions.wasAnnounced(queue.partition, recentlyAnnouncedMs)) void query(queue);
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

  return (partition, position) => {
    // Position 0 is before every event. A caller that names it got it from the read models.
    if (position <= 0 || position <= positions.of(partition)) return true;
    const queue = queues[partition];
    return queue === undefined || waiting >= waitersMax ? false : wait(queue, position);
  };
};

/** Waits in the queue, with repeated queries, until the wait is settled or reaches its time limit. */
const settled = ({ waiters }: Queue, position: number, waitMs: number, query: (looks: number) => void): Promise<boolean> =>
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
      if (lookAtMs(looks) < waitMs) query(looks);
      turn(looks + 1);
    };
    waiters.add(waiter);
    turn(0);
  });

/** Returns the time after the start of a wait at which its query with this number, from 0, is made. */
const lookAtMs = (looks: number): number => firstQueriesMs[looks] ?? (looks - firstQueriesMs.length + 2) * queryEveryMs;

const emptyQueue = (partition: number): Queue => ({ partition, waiters: new Set(), lookingSinceMs: undefined, again: false });

const orUnknown = async (query: () => Promise<number>): Promise<number> => {
  try {
    return await query();
  } catch {
    return -1;
  }
};

const orNone = (awaited: () => readonly string[]): readonly string[] => {
  try {
    return awaited();
  } catch {
    return [];
  }
};
