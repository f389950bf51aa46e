import { setTimeout as pause } from 'node:timers/promises';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { standingCheckMs } from '../limits.ts';
import { isIdle } from './partition-state.ts';
import type { ProjectionContext } from './projection-context.ts';

/** The positions of the read models, and the log at the same time. */
type Sight = { readonly positions: readonly (ReadPosition | undefined)[]; readonly incarnation: string; readonly head: Position };

/** Reads the log for each partition that stands still: between two checks, no projector has moved it, although the log had more. Watermarks
 * move every partition each second, so its records do not arrive. For example, a consumer that is no projector has joined the group, and was
 * assigned the partition. */
export const watchStandingPartitions = async (context: ProjectionContext): Promise<void> => {
  const { partitionStates, signal, workSignal, roundSignal, standingEveryMs = standingCheckMs } = context;
  let before: Sight | undefined;
  for (;;) {
    await pause(standingEveryMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const now = await look(context).catch(() => undefined);
    for (const partitionState of partitionStates) {
      if (before === undefined || now === undefined || !isIdle(partitionState) || !stoodStill(partitionState.partition, before, now))
        continue;
      partitionState.stoodStillAtMs = performance.now();
      partitionState.readLogUpTo = Math.max(partitionState.readLogUpTo, now.head);
    }
    workSignal.wake();
    roundSignal.wake();
    before = now;
  }
};

/** @throws ReadModelsUnavailable, LogUnavailable */
const look = async ({ generation, log }: ProjectionContext): Promise<Sight> => {
  const positions = await generation.positions();
  const { incarnation, head } = await log.state();
  return { positions, incarnation, head };
};

const stoodStill = (partition: number, before: Sight, now: Sight): boolean => {
  const [was, is] = [before.positions[partition], now.positions[partition]];
  return (
    is !== undefined && is.position === was?.position && is.incarnation === now.incarnation && is.position < Math.min(before.head, now.head)
  );
};
