import { partitionOf } from '@waymark/domain/partitions.ts';
import { createVisibilityWaiter, type VisibilityWaiterOptions } from '../visibility/visibility-waiter.ts';
import { announcing } from './announcing.ts';

export const partitions = 12;
export const account = 'account-a';
export const partition = partitionOf(account, partitions);
export const elsewhere =
  Array.from({ length: 100 }, (_, index) => `account-${index}`).find((name) => partitionOf(name, partitions) !== partition) ?? '';

/** Timers that a test moves. Nobody waits for ever, and no timer outlives who waited. */
export const movedTimers = (): void => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
};

/** A read side that stands where a test says, and what is asked of it. */
export const readSide = (options: Partial<VisibilityWaiterOptions> = {}) => {
  const stands = { position: 0, generations: ['2-1'] as readonly string[] };
  const looks: number[] = [];
  const { publish, ...announcements } = announcing();
  const visible = createVisibilityWaiter({
    partitions,
    visiblePosition: async (asked) => {
      looks.push(asked);
      return stands.position;
    },
    announcements: { publish, ...announcements },
    waited: () => stands.generations,
    waitMs: 2_000,
    ...options,
  });
  const announce = (position: number, generation = '2-1', of = partition) => publish([{ generation, partition: of, position }]);
  return { stands, looks, publish, announce, visible };
};

/** What a wait has come to by now. */
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

export const passing = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

export const raise = (): never => {
  throw new Error('thrown on the spot');
};
