import type { ReceivedRecord } from '@waymark/broker/broker.ts';
import { NewerEvent } from '@waymark/domain/event-types.ts';
import { createStats, type ProjectionStats, partitionStats } from '../stats.ts';
import { createWakeSignal } from '../wake-signal.ts';
import { createApplyLoop } from './apply-loop.ts';
import { createCatchUpLoop } from './catch-up-loop.ts';
import { createDoubt } from './doubt.ts';
import { createPartitionState, type PartitionState, readFromLogInstead } from './partition-state.ts';
import type { Ended, ProjectionPorts, Work } from './work.ts';

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
  readonly figures: () => ProjectionStats;
  /** The reasons why the process is not ready, as text. */
  readonly troubles: () => readonly string[];
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
  const lanes = Array.from({ length: ports.partitions }, (_, partition) => createPartitionState(partition));
  const figures = createStats();
  const stopping = new AbortController();
  let reason: Ended = 'stopped';
  const work: Work = {
    ...ports,
    lanes,
    figures,
    arrived: createWakeSignal(),
    moved: createWakeSignal(),
    signal: stopping.signal,
    end: (why) => {
      if (stopping.signal.aborted) return;
      reason = why;
      stopping.abort();
      work.arrived.ring();
      work.moved.ring();
    },
  };
  const ended = Promise.all([createApplyLoop(work), createCatchUpLoop(work)]).then(() => {
    for (const { waiting } of lanes) for (const { reject } of waiting.splice(0)) reject(new ProjectionEnded());
    return reason;
  });
  return {
    handle: (partition, records) => receive(work, laneOf(lanes, partition), records),
    doubt: (partition) => createDoubt(work, laneOf(lanes, partition)),
    catchUp: (partitions, upTo) => {
      for (const partition of partitions) {
        const lane = laneOf(lanes, partition);
        lane.goal = Math.max(lane.goal, upTo);
      }
      work.arrived.ring();
      work.moved.ring();
    },
    incarnation: () => lanes.find(({ stands }) => stands !== undefined)?.stands?.incarnation,
    outdated: () => work.end('outdated'),
    figures: () => ({
      generation: ports.generation.name,
      partitions: lanes.map((lane) => partitionStats(lane, Date.now())),
      totals: figures.totals,
      lag: figures.lag,
    }),
    troubles: () => lanes.flatMap(troublesOf),
    ended,
    stop: async () => {
      work.end('stopped');
      await ended;
    },
  };
};

const laneOf = (lanes: readonly PartitionState[], partition: number): PartitionState => {
  const lane = lanes[partition];
  if (lane === undefined) throw new RangeError(`There is no partition ${partition}.`);
  return lane;
};

const receive = ({ signal, arrived }: Work, lane: PartitionState, records: readonly ReceivedRecord[]): Promise<void> => {
  if (signal.aborted) return Promise.reject(new ProjectionEnded());
  const last = records.at(-1);
  if (last === undefined) return Promise.resolve();
  lane.seen = Math.max(lane.seen, last.position);
  return new Promise((resolve, reject) => {
    lane.waiting.push({ records, taken: 0, log: undefined, resolve, reject });
    if (lane.standing) readFromLogInstead(lane);
    arrived.ring();
  });
};

const troublesOf = ({ partition, standing }: PartitionState): readonly string[] => {
  if (standing === undefined) return [];
  const { error, position } = standing;
  if (error instanceof NewerEvent) return [error.message];
  return [`Partition ${partition} is blocked after position ${position}: ${error.message}`];
};
