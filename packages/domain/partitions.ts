import { hash } from 'node:crypto';

/** The number of partitions over which the accounts of a cluster are distributed. It can never change for a cluster that has content. */
export const partitionsOfCluster = 12;

/** Returns the partition of all events of an account, from 0. */
export const partitionOf = (account: string, partitions: number): number =>
  Number.parseInt(hash('sha256', account).slice(0, 8), 16) % partitions;
