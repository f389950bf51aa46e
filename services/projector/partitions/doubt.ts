import { setTimeout as pause } from 'node:timers/promises';
import { doubtEveryMs } from '../limits.ts';
import type { PartitionState } from './partition-state.ts';
import type { Work } from './work.ts';

/** Records of a lane were left out that cannot be believed: the log is read up to its end for what they may have stood for, and for what was left to it
 * since. Such reads of a lane begin at most once in `doubtEveryMs`, however many records are left out. */
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
