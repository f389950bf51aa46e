import { createHash } from 'node:crypto';

/** Partitions that the accounts of a cluster are spread over. It can never change for a cluster that has content. */
export const partitionsOfCluster = 12;

/** The partition that everything of an account belongs to, from 0. */
export const partitionOf = (account: string, partitions: number): number =>
  createHash('sha256').update(account).digest().readUInt32BE(0) % partitions;
