import type { Goal } from '../figure.ts';
import type { Usage } from './usage.ts';

/** A line of the cluster's table. */
export type ClusterFigure = {
  readonly title: string;
  readonly unit: '/s' | ' ms' | '';
  /** One for each round. */
  readonly cluster: readonly number[];
  /** The standalone form's, in the same run. */
  readonly standalone?: readonly number[];
  /** What the cluster's figure has to reach. */
  readonly goal?: Omit<Goal, 'against'>;
  /** Where the processor's time went. */
  readonly usage?: Usage;
  /** What else has to be known of it. */
  readonly note?: string;
};

/** How the cluster does with so many replicas. */
export type ScaleFigure = {
  readonly gateways: number;
  readonly projectors: number;
  readonly readsPerSecond: number;
  readonly readUsage: Usage;
  readonly lagP50Ms: number;
  readonly lagP99Ms: number;
  readonly lagUsage: Usage;
};

/** What a row gives. */
export type Measurement = { readonly figures: readonly ClusterFigure[]; readonly scale?: readonly ScaleFigure[] };
