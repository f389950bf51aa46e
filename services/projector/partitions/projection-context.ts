import type { Announcement } from '@waymark/read-models/visibility/announcements.ts';
import type { Logger } from 'pino';
import type { History, WritableGeneration } from '../ports.ts';
import type { ProjectorStats } from '../stats.ts';
import type { WakeSignal } from '../wake-signal.ts';
import type { PartitionState } from './partition-state.ts';

export type ProjectionPorts = {
  readonly generation: WritableGeneration;
  readonly log: History;
  /** The number of partitions. */
  readonly partitions: number;
  /** The projection rests after a transaction, at most until this time after its start; 0: it never rests. */
  readonly roundEveryMs: number;
  /** The interval at which partitions that stand still are looked for, in milliseconds. */
  readonly standingEveryMs?: number;
  /** Announces new positions after each commit, best effort. */
  readonly announce: (announcements: readonly Announcement[]) => void;
  readonly logger: Logger;
};

/** Why a projection ended. For every reason except `stopped`, the generation cannot be used any more: its positions are lost, it was built
 * from a log that no longer exists, or it is no prefix of the log. */
export type Ended = 'stopped' | 'lost' | 'outdated' | 'diverged';

/** The state that the loops of a projection share. */
export type ProjectionContext = ProjectionPorts & {
  readonly partitionStates: readonly PartitionState[];
  readonly stats: ProjectorStats;
  /** Wakes the apply loop when it may have something to do. */
  readonly workSignal: WakeSignal;
  /** Is signalled after each round of the apply loop. */
  readonly roundSignal: WakeSignal;
  readonly signal: AbortSignal;
  readonly end: (reason: Ended) => void;
};
