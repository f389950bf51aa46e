import type { Work } from '@waymark/cluster-runtime/stall-watch.ts';
import type { GenerationFeeder } from './generation-feeder.ts';

type Feeding = Pick<GenerationFeeder, 'name' | 'projection' | 'endReason'>;

type Keeping = {
  /** The time of the last check of the generations. */
  readonly checkedAtMs: number;
  readonly feeders: ReadonlyMap<string, Feeding>;
  readonly otherInstallation: string | undefined;
  readonly isLogShorter: boolean;
  readonly isLogBehindFacts: boolean;
};

/** Returns what the keeper of generations does: it checks them, and it feeds them. */
export const worksOf = (keeping: Keeping): readonly Work[] => [
  { name: 'checking the generations', done: keeping.checkedAtMs, isDue: true },
  ...[...keeping.feeders.values()].map((feeder) => ({
    name: `feeding generation ${feeder.name}`,
    done: positionsOf(feeder),
    isDue: !needsOperator(keeping) && isBehind(feeder),
  })),
];

/** Whether nothing can be applied until an operator acts. */
const needsOperator = ({ otherInstallation, isLogShorter, isLogBehindFacts }: Keeping): boolean =>
  otherInstallation !== undefined || isLogShorter || isLogBehindFacts;

/** Returns the sum of the positions of all partitions; below 0 while there are none. */
const positionsOf = ({ projection }: Feeding): number =>
  projection()
    ?.stats()
    .partitions.reduce((sum, { position }) => sum + position, 0) ?? -1;

/** Whether a generation has no first positions yet, or misses events that can be applied. */
const isBehind = ({ projection, endReason }: Feeding): boolean => {
  if (endReason() !== undefined) return false;
  const partitions = projection()?.stats().partitions;
  return partitions === undefined || partitions.some(({ blocked, behind, lagSeconds }) => !blocked && (behind > 0 || lagSeconds > 0));
};
