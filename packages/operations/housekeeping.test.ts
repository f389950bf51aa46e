import { type ExpiredBefore, housekeeping } from './housekeeping.ts';

const hourMs = 60 * 60_000;
const settle = () => jest.advanceTimersByTimeAsync(2 * hourMs);

describe('housekeeping', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const silent = { debug: () => undefined, warn: () => undefined };

  it('removes what is older than two days, and nothing at the start', async () => {
    const runs: number[] = [];
    const stop = housekeeping(async ({ beforeMs }) => ({ removed: runs.push(Date.now() - beforeMs) }), silent);
    await jest.advanceTimersByTimeAsync(hourMs / 2 - 1);
    expect(runs).toEqual([]);
    await settle();
    expect(runs[0]).toBe(48 * hourMs);
    stop();
  });

  it('tries again after a failure, and reports it', async () => {
    const warn = jest.fn();
    const remove = jest.fn().mockRejectedValueOnce(new Error('away')).mockResolvedValue({});
    const stop = housekeeping(remove, { ...silent, warn });
    await settle();
    await settle();
    expect(warn).toHaveBeenCalledTimes(1);
    expect(remove.mock.calls.length).toBeGreaterThan(1);
    stop();
  });

  it('ends a run in progress when it is stopped, and begins no other', async () => {
    let [runs, aborted] = [0, false];
    const remove = async ({ signal }: ExpiredBefore) => {
      runs += 1;
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return {};
    };
    const stop = housekeeping(remove, silent);
    await jest.advanceTimersByTimeAsync(1.5 * hourMs);
    stop();
    const before = runs;
    await settle();
    expect([before > 0, runs - before, aborted]).toEqual([true, 0, true]);
  });
});
