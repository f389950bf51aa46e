import { failedAuthentication } from '@waymark/http/authentication-failures.ts';
import { createAmountTable, openAmounts } from '@waymark/http/counters/open-amounts.ts';
import { type HttpError, invalidToken, unavailable } from '@waymark/http/errors.ts';
import { createMemoryFailureLimit, failureLimitBy } from './failure-limits.ts';
import type { Counter } from './rate-limits.ts';
import { createCounterTable, openWindowCounters } from './window-counters.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const quota = { name: 'failures', points: 3, seconds: 60 };
const wrong = (): Promise<string> => Promise.reject(failedAuthentication(invalidToken(), 'unknown-token'));
const right = (): Promise<string> => Promise.resolve('right');

const outcomeOf = (attempt: Promise<string>): Promise<string | number> => attempt.catch((problem: HttpError) => problem.status);

/** An attempt that ends when the test decides. */
const held = () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { attempt: () => promise, succeed: () => resolve('right'), fail: () => void wrong().catch(reject) };
};

describe('a failure limit', () => {
  it('refuses every attempt above the quota, and returns how long to wait', async () => {
    const limit = createMemoryFailureLimit(quota, openWindowCounters());
    for (let nth = 0; nth < 3; nth += 1) expect(await outcomeOf(limit.attempt('a', wrong))).toBe(401);
    jest.advanceTimersByTime(20_000);
    const tried = jest.fn(right);
    await expect(limit.attempt('a', tried)).rejects.toMatchObject({
      status: 429,
      headers: { 'Retry-After': '40', 'RateLimit-Policy': '"failures";q=3;w=60' },
    });
    expect(tried).not.toHaveBeenCalled();
    expect(await outcomeOf(limit.attempt('b', wrong))).toBe(401);
    jest.advanceTimersByTime(40_000);
    expect(await outcomeOf(limit.attempt('a', wrong))).toBe(401);
  });

  it('counts neither successful attempts nor those that failed for another reason', async () => {
    const limit = createMemoryFailureLimit(quota, openWindowCounters());
    const away = () => Promise.reject(unavailable('away'));
    const missing = () => Promise.reject(failedAuthentication(invalidToken(), 'missing'));
    for (let nth = 0; nth < 20; nth += 1) {
      expect(await Promise.all([right, away, missing].map((one) => outcomeOf(limit.attempt('a', one))))).toEqual(['right', 503, 401]);
    }
    expect(await outcomeOf(limit.attempt('a', wrong))).toBe(401);
  });

  it('is not exceeded by concurrent attempts: those above the quota wait', async () => {
    const limit = createMemoryFailureLimit(quota, openWindowCounters());
    const tried = jest.fn(wrong);
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcomeOf(limit.attempt('a', tried))));
    expect(outcomes.filter((outcome) => outcome === 401)).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === 429)).toHaveLength(47);
    expect(tried).toHaveBeenCalledTimes(3);
  });

  it('lets all successful attempts through, however many run concurrently', async () => {
    const limit = createMemoryFailureLimit(quota, openWindowCounters());
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcomeOf(limit.attempt('a', right))));
    expect(new Set(outcomes)).toEqual(new Set(['right']));
  });

  it('lets an attempt wait for the result of one in progress', async () => {
    for (const ends of ['succeed', 'fail'] as const) {
      const limit = createMemoryFailureLimit({ ...quota, points: 1 }, openWindowCounters());
      const first = held();
      const outcomes = [outcomeOf(limit.attempt('a', first.attempt)), outcomeOf(limit.attempt('a', right))];
      first[ends]();
      expect(await Promise.all(outcomes)).toEqual(ends === 'succeed' ? ['right', 'right'] : [401, 429]);
    }
  });

  it('is not exceeded by attempts in several threads', async () => {
    jest.useRealTimers();
    const [table, amounts] = [createCounterTable(), createAmountTable()];
    const tried = jest.fn(wrong);
    const ofThread = async () => {
      const limit = createMemoryFailureLimit(quota, openWindowCounters({ table }), openAmounts({ table: amounts }));
      return Promise.all(Array.from({ length: 20 }, () => outcomeOf(limit.attempt('a', tried))));
    };
    const outcomes = (await Promise.all([ofThread(), ofThread(), ofThread()])).flat();
    expect(outcomes.filter((outcome) => outcome === 401)).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === 429)).toHaveLength(57);
    expect(tried).toHaveBeenCalledTimes(3);
  });

  it('is not exceeded where an attempt fails while the count is read for another one', async () => {
    let failures = 0;
    const read = Promise.withResolvers<void>();
    const reads = jest.fn(async () => {
      const points = failures;
      // The second read is slower than all that happens meanwhile.
      if (reads.mock.calls.length === 2) await read.promise;
      return { points, msBeforeNext: 60_000 };
    });
    const counter: Counter = {
      get: reads,
      add: () => {
        failures += 1;
        return { points: failures, msBeforeNext: 60_000 };
      },
    };
    const limit = failureLimitBy({ ...quota, points: 1 }, counter);
    const first = held();
    const outcomes = [outcomeOf(limit.attempt('a', first.attempt))];
    const tried = jest.fn(right);
    outcomes.push(outcomeOf(limit.attempt('a', tried)));
    first.fail();
    expect(await outcomes[0]).toBe(401);
    read.resolve();
    expect(await outcomes[1]).toBe(429);
    expect(tried).not.toHaveBeenCalled();
  });
});
