import { setTimeout as pause } from 'node:timers/promises';
import { NewerEvent } from '@waymark/domain/event-types.ts';
import { expectComplete } from '../testing/model.ts';
import type { ModelReadSideOptions } from '../testing/model-read-side.ts';
import { useProjectionSetups } from '../testing/projection-setup.ts';
import { waitUntil } from '../testing/until.ts';

/** A blocked partition is retried after five seconds, on a busy machine later. */
const { newSetup, appendTo } = useProjectionSetups();

describe('an event that cannot be projected', () => {
  const poisoned = (error: Error): { readonly options: ModelReadSideOptions; cure: () => void } => {
    let isPoison = true;
    const project: ModelReadSideOptions['project'] = ({ envelope }) => {
      if (isPoison && envelope.type === 'Poison') throw error;
    };
    const cure = (): void => {
      isPoison = false;
    };
    return { options: { project }, cure };
  };

  it('blocks its partition, is reported, and does not affect the other partitions', async () => {
    const { options, cure } = poisoned(new Error('what is this'));
    const clusterContext = newSetup(options);
    appendTo(clusterContext, 0, 0, 0);
    clusterContext.log.append(0, 'Poison');
    appendTo(clusterContext, 0, 1, 2);
    await Promise.all([0, 1, 2].map((partition) => clusterContext.projection.handle(partition, clusterContext.relay.events(partition))));
    await waitUntil('the events before it are applied', () => clusterContext.readSide.applied(0).length === 3);
    appendTo(clusterContext, 1, 0);
    await Promise.all([0, 1].map((partition) => clusterContext.projection.handle(partition, clusterContext.relay.events(partition))));
    expect(clusterContext.readSide.applied(1)).toHaveLength(2);
    expect(clusterContext.projection.problems()).toEqual([expect.stringContaining('what is this')]);
    expect(clusterContext.projection.stats().partitions[0]?.blocked).toBe('what is this');
    expect(clusterContext.lines.filter((line) => line.includes('cannot be projected')).length).toBeGreaterThan(0);
    cure();
    await expectComplete(clusterContext.log, clusterContext.readSide);
    expect(clusterContext.projection.problems()).toEqual([]);
  });

  it('is not retried before its time, even if later events arrive', async () => {
    const clusterContext = newSetup(poisoned(new Error('what is this')).options);
    clusterContext.log.append(0, 'Poison');
    await clusterContext.projection.handle(0, clusterContext.relay.events(0));
    await waitUntil('the partition is blocked', () => clusterContext.projection.problems().length > 0);
    const tries = clusterContext.readSide.tried.length;
    const endMs = performance.now() + 500;
    while (performance.now() < endMs) {
      appendTo(clusterContext, 0);
      await clusterContext.projection.handle(0, clusterContext.relay.events(0));
      await pause(5);
    }
    expect(clusterContext.projection.stats().partitions[0]?.blocked).toBe('what is this');
    // If the machine paused for seconds, the time of the retry may have come.
    expect(clusterContext.readSide.tried.length - tries).toBeLessThanOrEqual(3);
  });

  it('that a newer release wrote is reported with that release', async () => {
    const newer = modelNewer();
    const clusterContext = newSetup(poisoned(newer).options);
    clusterContext.log.append(2, 'Poison');
    await clusterContext.projection.handle(2, clusterContext.relay.events(2));
    expect(clusterContext.projection.problems()).toEqual([newer.message]);
    expect(newer.message).toContain('9.9.9');
  });
});

const modelNewer = (): NewerEvent => {
  const clusterContext = newSetup();
  clusterContext.log.append(0, 'PinpointDreamt');
  const [event] = clusterContext.log.eventsOf(0);
  if (event === undefined) throw new Error('The event was not appended.');
  return new NewerEvent({ ...event, envelope: { ...event.envelope, release: '9.9.9' } });
};
