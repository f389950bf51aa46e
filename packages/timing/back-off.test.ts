import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { createBackOff, pauseMs } from './back-off.ts';

describe('a pause between failed attempts', () => {
  it('is doubled from the first to the last, however many there were', () => {
    const limits = { firstMs: 10, lastMs: 50 };
    expect([0, 1, 2, 3, 4, 10_000].map((pauses) => pauseMs(limits, pauses))).toEqual([10, 20, 40, 50, 50, 50]);
  });

  it('varies by its random part, and never exceeds the last one', () => {
    const limits = fc.record({ firstMs: fc.integer({ min: 0, max: 100 }), lastMs: fc.integer({ min: 100, max: 5_000 }) });
    fc.assert(
      fc.property(limits, fc.nat(100), fc.double({ min: 0, max: 1, noNaN: true }), (some, pauses, jitter) => {
        const [whole, part] = [pauseMs(some, pauses), pauseMs({ ...some, jitter }, pauses)];
        expect(part).toBeLessThanOrEqual(whole);
        expect(part).toBeGreaterThanOrEqual(whole * (1 - jitter) - 1e-6);
      }),
    );
  });
});

describe('the pauses of a loop', () => {
  it('grow, and start again after a reset', async () => {
    const { pause, reset } = createBackOff({ firstMs: 8, lastMs: 1_000 }, new AbortController().signal);
    const isShorterThan = (ms: number): Promise<boolean> => Promise.race([pause().then(() => true), sleep(ms, false)]);
    expect([await isShorterThan(100), await isShorterThan(100), await isShorterThan(100)]).toEqual([true, true, true]);
    expect(await isShorterThan(30)).toBe(false);
    reset();
    expect(await isShorterThan(30)).toBe(true);
  });

  it('end when the signal aborts', async () => {
    const stopping = new AbortController();
    const { pause } = createBackOff({ firstMs: 1_000_000, lastMs: 1_000_000 }, stopping.signal);
    const paused = pause();
    stopping.abort();
    await paused;
    await pause();
  });
});
