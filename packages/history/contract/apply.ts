import { NewerEvent } from '@waymark/domain/event-types.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { pinpointCreated, pinpointDeleted } from '@waymark/read-models/testing/facts.ts';
import { at, beginning, incarnation, recorder } from '@waymark/read-models/testing/recorder.ts';
import type { HistoryUnderTest } from '../testing/subject.ts';

const latest = Number.MAX_SAFE_INTEGER - 1;

export const applyContract = (history: () => HistoryUnderTest) => {
  const { record, housekeeping } = recorder();
  const [first, second, third] = [1, 2, 3].map((id) => record('account-a', pinpointCreated(id))) as [
    ReturnType<typeof record>,
    ReturnType<typeof record>,
    ReturnType<typeof record>,
  ];
  const streams = () =>
    history().read(async ({ lastEntries }) => [...(await lastEntries(['pinpoint-1', 'pinpoint-2', 'pinpoint-3'], latest)).keys()].sort());

  it('has no position before the first application', async () => {
    expect(await history().position(0)).toBeUndefined();
  });

  it('starts at an empty log without any events', async () => {
    expect(await history().apply(0, 0, [], beginning)).toBe(true);
    expect(await history().position(0)).toEqual(beginning);
    expect(await streams()).toEqual([]);
  });

  it('has the entries and the position of the applied events', async () => {
    expect(await history().apply(0, 0, [first, second], at(second))).toBe(true);
    expect(await history().position(0)).toEqual(at(second));
    expect(await streams()).toEqual(['pinpoint-1', 'pinpoint-2']);
  });

  it('has the fields of each new object, also of those with as many as the one before', async () => {
    const opened = record('account-a', { type: 'ChangesetOpened', account: 'account-a', changeset: 'c', comment: 'Why', by: '' });
    const category = record('account-a', { ...sampleEvents.CategoryCreated, account: 'account-a', category: 1 });
    await history().apply(0, 0, [opened, category], at(category));
    const entries = await history().read(({ lastEntries }) => lastEntries(['changeset-c', 'category-1'], latest));
    expect(entries.get('changeset-c')?.origins).toEqual({ comment: 0, by: 0 });
    expect(entries.get('category-1')?.origins).toEqual({ name: 0, image: 0 });
  });

  it('moves to a position beyond the last event of the batch', async () => {
    const to = { incarnation, position: first.position + 100, event: 'housekeeping' };
    expect(await history().apply(0, 0, [first], to)).toBe(true);
    expect(await history().apply(0, to.position, [], { ...to, position: to.position + 1 })).toBe(true);
    expect(await history().position(0)).toEqual({ ...to, position: to.position + 1 });
  });

  it('refuses a repeat', async () => {
    await history().apply(0, 0, [first], at(first));
    const before = await history().dump();
    expect(await history().apply(0, 0, [first], at(first))).toBe(false);
    expect(await history().apply(0, 0, [first, second], at(second))).toBe(false);
    expect(await history().dump()).toEqual(before);
    expect(await history().position(0)).toEqual(at(first));
  });

  it('refuses a gap', async () => {
    expect(await history().apply(0, first.position, [second], at(second))).toBe(false);
    await history().apply(0, 0, [first], at(first));
    const before = await history().dump();
    expect(await history().apply(0, second.position, [third], at(third))).toBe(false);
    expect(await history().dump()).toEqual(before);
    expect(await history().position(0)).toEqual(at(first));
  });

  it('refuses events of another log', async () => {
    await history().apply(0, 0, [first], at(first));
    expect(await history().apply(0, first.position, [second], { ...at(second), incarnation: 'another' })).toBe(false);
    expect(await streams()).toEqual(['pinpoint-1']);
    expect(await history().position(0)).toEqual(at(first));
  });

  it('lets one of two writers win', async () => {
    await history().apply(0, 0, [first], at(first));
    const outcomes = await Promise.all([
      history().apply(0, first.position, [second], at(second)),
      history().apply(0, first.position, [second, third], at(third)),
    ]);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await history().position(0)).toEqual(outcomes[0] ? at(second) : at(third));
    expect(await streams()).toEqual(outcomes[0] ? ['pinpoint-1', 'pinpoint-2'] : ['pinpoint-1', 'pinpoint-2', 'pinpoint-3']);
  });

  it('keeps a position for each partition', async () => {
    await history().apply(0, 0, [first], at(first));
    expect(await history().position(7)).toBeUndefined();
    expect(await history().apply(7, 0, [second], at(second))).toBe(true);
    expect(await history().position(7)).toEqual(at(second));
    expect(await history().position(0)).toEqual(at(first));
  });

  it('applies nothing of a batch that contains an event newer than it knows', async () => {
    await history().apply(0, 0, [first], at(first));
    const before = await history().dump();
    const newer = record('account-a', pinpointDeleted(1));
    const batch = [second, { ...newer, envelope: { ...newer.envelope, version: 99 } }];
    await expect(history().apply(0, first.position, batch, at(newer))).rejects.toThrow(NewerEvent);
    expect(await history().dump()).toEqual(before);
    expect(await history().position(0)).toEqual(at(first));
    expect(await history().apply(0, first.position, [second], at(second))).toBe(true);
  });

  it('ignores housekeeping events', async () => {
    const passed = housekeeping();
    await history().apply(0, 0, [first], at(first));
    const before = await history().dump();
    expect(await history().apply(0, first.position, [passed], at(passed))).toBe(true);
    expect(await history().dump()).toEqual(before);
    expect(await history().position(0)).toEqual(at(passed));
  });

  it('shows one position to all reads of a `read`, whatever is applied meanwhile', async () => {
    await history().apply(0, 0, [first], at(first));
    let applied: Promise<boolean> = Promise.resolve(false);
    const seen = await history().read(async ({ lastEntries }) => {
      const before = await lastEntries(['pinpoint-1'], latest);
      applied = history().apply(0, first.position, [second], at(second));
      await Promise.race([applied, new Promise((resolve) => setTimeout(resolve, 100))]);
      return [before.size, (await lastEntries(['pinpoint-1', 'pinpoint-2'], latest)).size];
    });
    expect(seen).toEqual([1, 1]);
    expect(await applied).toBe(true);
    expect(await streams()).toEqual(['pinpoint-1', 'pinpoint-2']);
  });
};
