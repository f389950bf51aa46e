import { largeRoundEvents } from '../limits.ts';
import { expectComplete } from '../testing/model.ts';
import { useProjectionSetups } from '../testing/projection-setup.ts';
import { ProjectionEnded } from './projection.ts';
import { restAfter } from './rest.ts';

const { newSetup, appendTo } = useProjectionSetups();

describe('the rest after a round', () => {
  it.each([
    ['four times as long as the round took', { events: 1, tookMs: 5 }, 250, 20],
    ['over when the next round is due', { events: 1, tookMs: 100 }, 250, 150],
    ['left out after a longer round', { events: 1, tookMs: 300 }, 250, 0],
    ['left out after many events', { events: largeRoundEvents, tookMs: 5 }, 250, 0],
    ['left out while it reads the log', { events: 1, tookMs: 5, isCatchingUp: true }, 250, 0],
    ['left out by a projection that never rests', { events: 1, tookMs: 5 }, 0, 0],
  ])('is %s', (_, round, roundEveryMs, expected) => {
    expect(restAfter({ isCatchingUp: false, ...round }, roundEveryMs)).toBe(expected);
  });
});

describe('records of a projection that rests between its transactions', () => {
  const slow = (ms: number) => ({ project: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms) });

  it.each([
    [80, 300, 300],
    [20, 3_600_000, 100],
  ])('are applied together, after transactions that take %i ms and at most %i ms apart', async (tookMs, roundEveryMs, apartMs) => {
    const clusterContext = newSetup({ roundEveryMs, ...slow(tookMs) });
    const handleNext = (partition: number): Promise<void> => {
      appendTo(clusterContext, partition);
      return clusterContext.projection.handle(partition, clusterContext.relay.events(partition));
    };
    const startedMs = performance.now();
    await handleNext(0);
    await Promise.all([0, 1, 2, 1, 0].map(handleNext));
    await expectComplete(clusterContext.log, clusterContext.readSide);
    expect(clusterContext.readSide.tried).toHaveLength(2);
    expect(performance.now() - startedMs).toBeGreaterThan(apartMs + tookMs - 10);
  });

  it('do not delay a stop', async () => {
    const clusterContext = newSetup({ roundEveryMs: 3_600_000, ...slow(100) });
    appendTo(clusterContext, 0);
    await clusterContext.projection.handle(0, clusterContext.relay.events(0));
    appendTo(clusterContext, 0);
    const waiting = clusterContext.projection.handle(0, clusterContext.relay.events(0));
    await Promise.all([expect(waiting).rejects.toThrow(ProjectionEnded), clusterContext.projection.stop()]);
  });
});
