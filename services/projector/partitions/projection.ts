import type { ReceivedRecord } from '@waymark/broker/broker.ts';
import { NewerEvent } from '@waymark/domain/event-types.ts';
import { standingReportMs } from '../limits.ts';
import { createStats, type ProjectionStats, partitionStats } from '../stats.ts';
import { createWakeSignal } from '../wake-signal.ts';
import { createApplyLoop } from './apply-loop.ts';
import { createCatchUpLoop } from './catch-up-loop.ts';
import { createPartitionState, type PartitionState, readFromLogInstead } from './partition-state.ts';
import type { Ended, ProjectionContext, ProjectionPorts } from './projection-context.ts';
import { scheduleReread } from './reread.ts';
import { watchStandingPartitions } from './standing.ts';

/** Projects records, and the events that they miss, into one generation of the read models. */
export type Projection = {
  /** Resolves when these records are applied, are found to be duplicates, or are left to the log because earlier events are missing. Is
   * called for many partitions at once. Rejects only when the projection ends. */
  readonly handle: (partition: number, records: readonly ReceivedRecord[]) => Promise<void>;
  /** Reports that records of a partition were rejected: its events are read from the log, at most once a second. */
  readonly doubt: (partition: number) => void;
  /** Reports that this process now owns these partitions: their events up to a position are read from the log at once. */
  readonly catchUp: (partitions: readonly number[], upTo: number) => void;
  /** The incarnation of the log that the generation was built from; undefined until it was read from the read models. */
  readonly incarnation: () => string | undefined;
  /** Reports that this log no longer exists: the projection ends. */
  readonly outdated: () => void;
  readonly stats: () => ProjectionStats;
  /** The reasons why the process is not ready, as text. */
  readonly problems: () => readonly string[];
  /** The partitions whose records do not arrive, as text. */
  readonly warnings: () => readonly string[];
  readonly ended: Promise<Ended>;
  /** Finishes the current transaction, and ends the projection. */
  readonly stop: () => Promise<void>;
};

/** The projection ended before the records could be applied. The next owner of the partition applies them. */
export class ProjectionEnded extends Error {
  constructor() {
    super('The projection has ended.');
  }
}

export const createProjection = (ports: ProjectionPorts): Projection => {
  const partitionStates = Array.from({ length: ports.partitions }, (_, partition) => createPartitionState(partition));
  const stats = createStats();
  const stopping = new AbortController();
  let reason: Ended = 'stopped';
  const context: ProjectionContext = {
    ...ports,
    partitionStates,
    stats,
    workSignal: createWakeSignal(),
    roundSignal: createWakeSignal(),
    signal: stopping.signal,
    end: (why) => {
      if (stopping.signal.aborted) return;
      reason = why;
      stopping.abort();
      context.workSignal.wake();
      context.roundSignal.wake();
    },
  };
  const ended = Promise.all([createApplyLoop(context), createCatchUpLoop(context), watchStandingPartitions(context)]).then(() => {
    for (const { waiting } of partitionStates) for (const { reject } of waiting.splice(0)) reject(new ProjectionEnded());
    return reason;
  });
  return {
    handle: (partition, records) => receive(context, stateOf(partitionStates, partition), records),
    doubt: (partition) => scheduleReread(context, stateOf(partitionStates, partition)),
    catchUp: (partitions, upTo) => {
      for (const partition of partitions) {
        const partitionState = stateOf(partitionStates, partition);
        partitionState.readLogUpTo = Math.max(partitionState.readLogUpTo, upTo);
      }
      context.workSignal.wake();
      context.roundSignal.wake();
    },
    incarnation: () => partitionStates.find(({ reached }) => reached !== undefined)?.reached?.incarnation,
    outdated: () => context.end('outdated'),
    stats: () => ({
      generation: ports.generation.name,
      partitions: partitionStates.map((partitionState) => partitionStats(partitionState, Date.now())),
      totals: stats.totals,
      lag: stats.lag,
    }),
    problems: () => partitionStates.flatMap(problemsOf),
    warnings: () => warningsOf(partitionStates),
    ended,
    stop: async () => {
      context.end('stopped');
      await ended;
    },
  };
};

const stateOf = (partitionStates: readonly PartitionState[], partition: number): PartitionState => {
  const partitionState = partitionStates[partition];
  if (partitionState === undefined) throw new RangeError(`There is no partition ${partition}.`);
  return partitionState;
};

const receive = (
  { signal, workSignal }: ProjectionContext,
  partitionState: PartitionState,
  records: readonly ReceivedRecord[],
): Promise<void> => {
  if (signal.aborted) return Promise.reject(new ProjectionEnded());
  const last = records.at(-1);
  if (last === undefined) return Promise.resolve();
  partitionState.receivedUpTo = Math.max(partitionState.receivedUpTo, last.position);
  return new Promise((resolve, reject) => {
    partitionState.waiting.push({ records, planned: 0, log: undefined, resolve, reject });
    if (partitionState.blocked) readFromLogInstead(partitionState);
    workSignal.wake();
  });
};

const problemsOf = ({ partition, blocked }: PartitionState): readonly string[] => {
  if (blocked === undefined) return [];
  const { error, position } = blocked;
  if (error instanceof NewerEvent) return [error.message];
  return [`Partition ${partition} is blocked after position ${position}: ${error.message}`];
};

const warningsOf = (partitionStates: readonly PartitionState[]): readonly string[] => {
  const standing = partitionStates.filter(({ stoodStillAtMs }) => performance.now() - stoodStillAtMs < standingReportMs);
  if (standing.length === 0) return [];
  const partitions = standing.map(({ partition }) => partition).join(', ');
  return [
    `In the last minute, records of these partitions did not arrive: ${partitions}. Their events were read from the log, seconds later.`,
  ];
};
