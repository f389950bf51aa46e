import { setTimeout as pause } from 'node:timers/promises';
import { doubtEveryMs } from '../limits.ts';
import type { PartitionState } from './partition-state.ts';
import type { Work } from './work.ts';

/** Reads the log up to its end after records of a partition were rejected. The read delivers the events that these records may have stood
 * for, and everything that was left to it since. A partition starts such a read at most once in `doubtEveryMs`, however many records are
 * rejected. */
export const createDoubt = (work: Work, lane: PartitionState): void => {
  if (lane.doubted) return;
  lane.doubted = true;
  void readOnceDue(work, lane);
};

const readOnceDue = async ({ log, signal, arrived, moved }: Work, lane: PartitionState): Promise<void> => {
  const rest = (ms: number): Promise<void> => pause(ms, undefined, { signal }).catch(() => undefined);
  await rest(Math.max(0, lane.doubtReadAtMs + doubtEveryMs - performance.now()));
  while (!signal.aborted) {
    const head = await log.state().then(
      (state) => state.head,
      () => undefined,
    );
    lane.doubtReadAtMs = performance.now();
    if (head === undefined) {
      await rest(doubtEveryMs);
      continue;
    }
    lane.doubted = false;
    lane.goal = Math.max(lane.goal, lane.known, head);
    arrived.ring();
    moved.ring();
    return;
  }
};
