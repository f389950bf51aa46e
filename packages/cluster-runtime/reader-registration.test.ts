import { leaseMs } from '@waymark/read-models/mongodb/limits.ts';
import type { Roles } from '@waymark/read-models/mongodb/read-side.ts';
import { registerReader } from './reader-registration.ts';

describe('the generations that writes wait for', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const registered = (roles: () => Promise<Roles>) =>
    registerReader({ generations: { roles, seen: async () => undefined }, beat: async () => undefined }, { reads: false });

  it('are known', async () => {
    const { awaited, close } = registered(async () => ({ read: '1-a', awaited: ['1-a'], askedAtMs: performance.now() }));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(awaited()).toEqual(['1-a']);
    close();
  });

  it('are unknown once the query is too old that named them, however late its answer came', async () => {
    const askedAtMs = performance.now();
    const { awaited, close } = registered(async () => ({ read: '1-a', awaited: ['1-a'], askedAtMs }));
    await jest.advanceTimersByTimeAsync(leaseMs - 1);
    expect(awaited()).toEqual(['1-a']);
    await jest.advanceTimersByTimeAsync(1);
    expect(awaited()).toEqual([]);
    close();
  });
});
