import { partitionOf, partitionsOfCluster } from './partitions.ts';

describe('the partition of an account', () => {
  it.each([
    ['a', 2],
    ['b', 6],
    ['2bd806c97f0e00af1a1fc3328fa763a9', 9],
  ])('of %s is the same in every release', (account, partition) => {
    expect(partitionOf(account, partitionsOfCluster)).toBe(partition);
  });
});
