import { pino } from 'pino';
import { type ChildPlan, keepRunning } from './child.ts';

type Line = { readonly againMs: number };

/** Runs a process that ends by itself each time, as if it had run for a while. Returns the pauses before its restarts. */
const pausesAfter = async (ranForMs: number, restarts: number): Promise<readonly number[]> => {
  const pauses: number[] = [];
  const stopped = new AbortController();
  const enough = Promise.withResolvers<void>();
  const write = (line: string): void => {
    pauses.push((JSON.parse(line) as Line).againMs);
    if (pauses.length === restarts) enough.resolve();
  };
  let nowMs = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const plan: Omit<ChildPlan, 'name' | 'isSupervised'> = {
    command: [process.execPath, '--eval', ''],
    environment: process.env,
    stopSignal: 'SIGTERM',
    stopWithinMs: 10_000,
    // Called after the time of the start was taken, and before the process runs.
    prepare: () => {
      nowMs += ranForMs;
    },
  };
  const child = keepRunning({ ...plan, name: 'one', isSupervised: false }, pino({}, { write }), stopped.signal);
  await enough.promise;
  stopped.abort();
  await child.stop();
  clock.mockRestore();
  return pauses;
};

describe('a process that ends again and again', () => {
  it('is restarted after ever longer pauses, also if its start takes long on a busy machine', async () => {
    expect(await pausesAfter(30_000, 3)).toEqual([200, 400, 800]);
  });

  it('is restarted at once each time if it had run well', async () => {
    expect(await pausesAfter(90_000, 3)).toEqual([100, 100, 100]);
  });
});
