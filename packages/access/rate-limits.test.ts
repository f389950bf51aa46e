import { HttpError } from '@waymark/http/errors.ts';
import { noRateLimit, type RateLimit } from '@waymark/http/rate-limit.ts';
import { createMemoryRateLimit } from './rate-limits.ts';
import { openWindowCounters } from './window-counters.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const three = (): RateLimit => createMemoryRateLimit({ name: 'tokens', points: 3, seconds: 60 }, openWindowCounters());

const refusal = async (work: () => void | Promise<void>): Promise<HttpError | undefined> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
  return undefined;
};

const times = async (count: number, limit: RateLimit, key: string): Promise<void> => {
  for (let time = 0; time < count; time += 1) await limit.take(key);
};

describe('a rate limit', () => {
  it('lets the quota through, and returns to the next request how long to wait', async () => {
    const limit = three();
    await times(3, limit, 'a');
    jest.advanceTimersByTime(10_500);
    expect(await refusal(() => limit.take('a'))).toMatchObject({
      status: 429,
      body: { detail: 'Request was throttled.' },
      headers: { 'Retry-After': '50', RateLimit: '"tokens";r=0;t=50', 'RateLimit-Policy': '"tokens";q=3;w=60' },
    });
  });

  it('counts each key separately', async () => {
    const limit = three();
    await times(3, limit, 'a');
    expect(await refusal(() => limit.take('b'))).toBeUndefined();
  });

  it('restarts with the next window', async () => {
    const limit = three();
    await times(3, limit, 'a');
    jest.advanceTimersByTime(60_000);
    expect(await refusal(() => limit.take('a'))).toBeUndefined();
  });

  it('never returns a wait of 0 s', async () => {
    const limit = three();
    await times(3, limit, 'a');
    jest.advanceTimersByTime(59_999);
    expect((await refusal(() => limit.take('a')))?.headers['Retry-After']).toBe('1');
  });

  it('refuses no request if there is no limit', async () => {
    await times(1_000, noRateLimit, 'a');
    expect(await refusal(() => noRateLimit.take('a'))).toBeUndefined();
  });
});
