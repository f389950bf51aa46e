import { createPositionTracker } from './position-tracker.ts';

const partitions = 3;

const setup = (...awaited: readonly string[]) => {
  let names = awaited;
  const known = createPositionTracker(partitions, () => names);
  const announce = (generation: string, partition: number, position: number): void => known.announced({ generation, partition, position });
  return {
    known,
    announce,
    count: (...those: readonly string[]): void => {
      names = those;
    },
  };
};

describe('a position tracker', () => {
  it('returns no position before one is known, and where no generation counts', () => {
    const { known, announce, count } = setup('2-1');
    expect([known.of(0), known.wasAnnounced(0, 1_000)]).toEqual([-1, false]);
    announce('2-1', 0, 7);
    expect([known.of(0), known.wasAnnounced(0, 1_000), known.of(1), known.wasAnnounced(1, 1_000)]).toEqual([7, true, -1, false]);
    count();
    expect([known.of(0), known.wasAnnounced(0, 1_000)]).toEqual([-1, false]);
  });

  it('returns the lowest position of all generations that count, using the highest known one of each', () => {
    const { known, announce } = setup('2-1', '3-1');
    announce('2-1', 0, 7);
    expect([known.of(0), known.wasAnnounced(0, 1_000)]).toEqual([-1, false]);
    known.record(['3-1'], 0, 5);
    known.record(['3-1'], 0, 4);
    expect([known.of(0), known.wasAnnounced(0, 1_000)]).toEqual([5, false]);
    announce('3-1', 0, 9);
    expect([known.of(0), known.wasAnnounced(0, 1_000)]).toEqual([7, true]);
  });

  it.each([-1, partitions, 1e9])('ignores partition %p, which does not exist', (partition) => {
    const { known, announce } = setup('2-1');
    announce('2-1', partition, 7);
    expect([known.of(partition), known.wasAnnounced(partition, 1_000)]).toEqual([-1, false]);
  });

  it('ignores generations that do not count, and discards those that no longer count', () => {
    const { known, announce, count } = setup('2-1');
    announce('3-1', 0, 7);
    count('3-1');
    expect(known.of(0)).toBe(-1);
    announce('3-1', 0, 8);
    count('2-1');
    expect(known.of(0)).toBe(-1);
    count('3-1');
    expect([known.of(0), known.wasAnnounced(0, 1_000)]).toEqual([-1, false]);
  });
});
