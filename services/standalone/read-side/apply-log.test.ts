import { recorded } from '@waymark/domain/testing/samples.ts';
import type { FollowedLog } from '@waymark/event-log/follower.ts';
import type { ReadModels } from '@waymark/read-models/read-models.ts';
import { applyEvents, applyRange } from './apply-log.ts';

/** A log of events at every second position. */
const events = Array.from({ length: 12_000 }, (_, index) => {
  const event = recorded('PinpointEdited', 1, '{}');
  return { ...event, position: 2 * index + 2, envelope: { ...event.envelope, id: `event-${2 * index + 2}` } };
});
const readAfter: FollowedLog['readAfter'] = (after, limit) => events.filter(({ position }) => position > after).slice(0, limit);

/** Read models that keep the positions of the events that they were given, and accept only events that follow their own position. */
const somewhere = (position = 0) => {
  const applied: number[] = [];
  const steps: number[] = [];
  let reached = position;
  const apply: ReadModels['apply'] = async (_, after, batch, to) => {
    if (after !== reached) return false;
    applied.push(...batch.map((event) => event.position));
    steps.push(to.position);
    expect(to).toEqual({ incarnation: 'one', position: batch.at(-1)?.position, event: batch.at(-1)?.envelope.id });
    reached = to.position;
    return true;
  };
  return { apply, applied, steps };
};

describe('a range of the log', () => {
  it('is applied completely and in batches that follow each other', async () => {
    const models = somewhere();
    expect(await applyRange(models, readAfter, 'one', { after: 0, through: 24_000 })).toBe(12_000);
    expect(models.applied).toEqual(events.map(({ position }) => position));
    expect(models.steps.length).toBeGreaterThan(1);
  });

  it.each([
    [7, 14, [8, 10, 12, 14]],
    [7, 13, [8, 10, 12]],
    [8, 9, []],
    [9, 9, []],
    [14, 7, []],
    [23_998, 1_000_000, [24_000]],
  ])('is applied without the events before and after it: %d to %d', async (after, through, positions) => {
    const models = somewhere(after);
    expect(await applyRange(models, readAfter, 'one', { after, through })).toBe(positions.length);
    expect(models.applied).toEqual(positions);
  });

  it('is not applied to read models at another position', async () => {
    const models = somewhere(4);
    await expect(applyRange(models, readAfter, 'one', { after: 6, through: 10 })).rejects.toThrow('Another process');
    await expect(applyEvents(models, 'one', 2, events.slice(1, 2))).rejects.toThrow('Another process');
    expect(models.applied).toEqual([]);
  });
});

describe('events', () => {
  it('are applied at the position of the last of them; none change nothing', async () => {
    const models = somewhere();
    await applyEvents(models, 'one', 0, []);
    await applyEvents(models, 'one', 0, events.slice(0, 3));
    expect([models.applied, models.steps]).toEqual([[2, 4, 6], [6]]);
  });
});
