import { setTimeout as pause } from 'node:timers/promises';
import { rereadEveryMs } from '../limits.ts';
import type { PartitionState } from './partition-state.ts';
import type { ProjectionContext } from './projection-context.ts';

/** Reads the log up to its end after records of a partition were rejected. The read delivers the events that these records may have stood
 * for, and everything that was left to it since. A partition starts such a read at most once in `rereadEveryMs`, however many records are
 * rejected. */
export const scheduleReread = (context: ProjectionContext, partitionState: PartitionState): void => {
  if (partitionState.isRereadDue) return;
  partitionState.isRereadDue = true;
  void readOnceDue(context, partitionState);
};

const readOnceDue = async ({ log, signal, workSignal, roundSignal }: ProjectionContext, partitionState: PartitionState): Promise<void> => {
  const rest = (ms: number): Promise<void> => pause(ms, undefined, { signal }).catch(() => undefined);
  await rest(Math.max(0, partitionState.rereadAtMs + rereadEveryMs - performance.now()));
  while (!signal.aborted) {
    const head = await log.state().then(
      (state) => state.head,
      () => undefined,
    );
    partitionState.rereadAtMs = performance.now();
    if (head === undefined) {
      await rest(rereadEveryMs);
      continue;
    }
    partitionState.isRereadDue = false;
    partitionState.readLogUpTo = Math.max(partitionState.readLogUpTo, partitionState.processedUpTo, head);
    workSignal.wake();
    roundSignal.wake();
    return;
  }
};
