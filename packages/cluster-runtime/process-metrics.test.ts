import perfHooks from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { createRegistry } from './process-metrics.ts';

const samplesWithinMs = 10_000;

describe('the metrics of a process', () => {
  it('sample the delays of its event loop only from the first query on, so that they do not wake an idle process', async () => {
    const monitors = jest.spyOn(perfHooks, 'monitorEventLoopDelay');
    const registry = createRegistry();
    const delays: ReturnType<typeof perfHooks.monitorEventLoopDelay> = monitors.mock.results[0]?.value;
    await pause(100);
    expect(delays.count).toBe(0);

    expect(await registry.metrics()).toMatch(/^nodejs_eventloop_lag_p99_seconds 0$/m);
    const deadlineMs = performance.now() + samplesWithinMs;
    while (delays.count === 0 && performance.now() < deadlineMs) await pause(10);
    expect(await registry.metrics()).toMatch(/^nodejs_eventloop_lag_p99_seconds 0\.\d+$/m);
    delays.disable();
    monitors.mockRestore();
  });
});
