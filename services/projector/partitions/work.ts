import type { Announcement } from '@waymark/read-models/visibility/announcements.ts';
import type { Logger } from 'pino';
import type { FedGeneration, History } from '../ports.ts';
import type { ProjectorStats } from '../stats.ts';
import type { WakeSignal } from '../wake-signal.ts';
import type { PartitionState } from './partition-state.ts';

export type ProjectionPorts = {
  readonly generation: FedGeneration;
  readonly log: History;
  /** How many partitions there are. */
  readonly partitions: number;
  /** Best effort, called after each commit. */
  readonly announce: (announcements: readonly Announcement[]) => void;
  readonly logger: Logger;
};

/** Why a projection ended. All but `stopped`: the generation is of no use any more, because its positions are gone, because it was made from
 * a log that is no more, or because it is no prefix of the log. */
export type Ended = 'stopped' | 'lost' | 'outdated' | 'diverged';

/** What the parts of a projection share. */
export type Work = ProjectionPorts & {
  readonly lanes: readonly PartitionState[];
  readonly figures: ProjectorStats;
  /** Rung when there may be something to do for the writing part. */
  readonly arrived: WakeSignal;
  /** Rung after each round of the writing part. */
  readonly moved: WakeSignal;
  readonly signal: AbortSignal;
  readonly end: (reason: Ended) => void;
};
