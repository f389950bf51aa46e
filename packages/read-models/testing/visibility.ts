import { partitionOf } from '@waymark/domain/partitions.ts';
import { createVisibilityWaiter, type VisibilityWaiterOptions } from '../visibility/visibility-waiter.ts';
import { announcing } from './announcing.ts';

export const partitions = 12;
export const account = 'account-a';
export const partition = partitionOf(account, partitions);
export const elsewhere =
  Array.from({ length: 100 }, (_, index) => `account-${index}`).find((name) => partitionOf(name, partitions) !== partition) ?? '';

/** Uses timers that a test advances, and checks that none is left: every wait ends, and its timers with it. */
export const useTestTimers = (): void => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
};

/** Creates a visibility waiter over read models at a position that the test sets, and records its queries. */
export const waiterSetup = (options: Partial<VisibilityWaiterOptions> = {}) => {
  const reached = { position: 0, generations: ['2-1'] as readonly string[] };
  const queries: number[] = [];
  const { publish, ...announcements } = announcing();
  const reaches = createVisibilityWaiter({
    partitions,
    visiblePosition: async (asked) => {
      queries.push(asked);
      return reached.position;
    },
    announcements: { publish, ...announcements },
    awaited: () => reached.generations,
    waitMs: 2_000,
    ...options,
  });
  const visible = (of: string, position: number) => reaches(partitionOf(of, partitions), position);
  const announce = (position: number, generation = '2-1', of = partition) => publish([{ generation, partition: of, position }]);
  return { reached, queries, publish, announce, visible };
};

/** Returns the current outcome of a wait. */
export const outcomeOf = (answer: boolean | Promise<boolean>) => {
  const outcome: { now: boolean | 'waiting' } = { now: 'waiting' };
  Promise.resolve(answer).then(
    (visible) => {
      outcome.now = visible;
    },
    () => undefined,
  );
  return outcome;
};

export const advance = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

export const raise = (): never => {
  throw new Error('thrown synchronously');
};
