import { setTimeout as pause } from 'node:timers/promises';
import { NewerEvent } from '@waymark/domain/event-types.ts';
import { expectComplete } from '../testing/model.ts';
import type { ModelReadSideOptions } from '../testing/model-read-side.ts';
import { useProjectionSetups } from '../testing/projection-setup.ts';
import { waitUntil } from '../testing/until.ts';

/** A blocked partition is retried after five seconds, on a busy machine later. */
const { newWorld, appendTo } = useProjectionSetups();

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
    const world = newWorld(options);
    appendTo(world, 0, 0, 0);
    world.log.append(0, 'Poison');
    appendTo(world, 0, 1, 2);
    await Promise.all([0, 1, 2].map((partition) => world.projection.handle(partition, world.relay.events(partition))));
    await waitUntil('the events before it are applied', () => world.readSide.applied(0).length === 3);
    appendTo(world, 1, 0);
    await Promise.all([0, 1].map((partition) => world.projection.handle(partition, world.relay.events(partition))));
    expect(world.readSide.applied(1)).toHaveLength(2);
    expect(world.projection.troubles()).toEqual([expect.stringContaining('what is this')]);
    expect(world.projection.figures().partitions[0]?.standing).toBe('what is this');
    expect(world.lines.filter((line) => line.includes('cannot be projected')).length).toBeGreaterThan(0);
    cure();
    await expectComplete(world.log, world.readSide);
    expect(world.projection.troubles()).toEqual([]);
  });

  it('is not retried before its time, even if later events arrive', async () => {
    const world = newWorld(poisoned(new Error('what is this')).options);
    world.log.append(0, 'Poison');
    await world.projection.handle(0, world.relay.events(0));
    await waitUntil('the partition is blocked', () => world.projection.troubles().length > 0);
    const tries = world.readSide.tried.length;
    const endMs = performance.now() + 500;
    while (performance.now() < endMs) {
      appendTo(world, 0);
      await world.projection.handle(0, world.relay.events(0));
      await pause(5);
    }
    expect(world.projection.figures().partitions[0]?.standing).toBe('what is this');
    // If the machine paused for seconds, the time of the retry may have come.
    expect(world.readSide.tried.length - tries).toBeLessThanOrEqual(3);
  });

  it('that a newer release wrote is reported with that release', async () => {
    const newer = modelNewer();
    const world = newWorld(poisoned(newer).options);
    world.log.append(2, 'Poison');
    await world.projection.handle(2, world.relay.events(2));
    expect(world.projection.troubles()).toEqual([newer.message]);
    expect(newer.message).toContain('9.9.9');
  });
});

const modelNewer = (): NewerEvent => {
  const world = newWorld();
  world.log.append(0, 'PinpointDreamt');
  const [event] = world.log.eventsOf(0);
  if (event === undefined) throw new Error('The event was not appended.');
  return new NewerEvent({ ...event, envelope: { ...event.envelope, release: '9.9.9' } });
};
