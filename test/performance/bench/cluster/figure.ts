import type { Goal } from '../figure.ts';
import type { Usage } from './usage.ts';

/** A line of the cluster's table. */
export type ClusterRowResult = {
  readonly title: string;
  readonly unit: '/s' | ' ms' | '';
  /** The values of the cluster, one for each round. */
  readonly cluster: readonly number[];
  /** The values of the standalone form, in the same run. */
  readonly standalone?: readonly number[];
  /** The goal for the cluster's value. */
  readonly goal?: Omit<Goal, 'against'>;
  /** The processor time that was used, by name. */
  readonly usage?: Usage;
  /** A remark that the reader of the table needs. */
  readonly note?: string;
};

/** The measurements of a cluster with these numbers of replicas. */
export type ScaleResult = {
  readonly gateways: number;
  readonly projectors: number;
  readonly readsPerSecond: number;
  readonly readUsage: Usage;
  readonly lagP50Ms: number;
  readonly lagP99Ms: number;
  readonly lagUsage: Usage;
};

/** The result of measuring a row. */
export type Measurement = { readonly figures: readonly ClusterRowResult[]; readonly scale?: readonly ScaleResult[] };
