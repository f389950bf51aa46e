import { NewerEvent } from '@waymark/domain/event-types.ts';
import { type ReadModels, ReadModelsUnavailable } from '../read-models.ts';
import { pinpointCreated, pinpointDeleted } from '../testing/facts.ts';
import { at, beginning, incarnation, recorder } from '../testing/recorder.ts';
import type { ReadModelsUnderTest } from '../testing/subject.ts';

const page = { kind: 'pinpoint', account: 'account-a', within: null, direction: 'forward', from: 0, limit: 20 } as const;

export const applyContract = (models: () => ReadModelsUnderTest) => {
  const { record, housekeeping } = recorder();
  const [first, second, third] = [1, 2, 3].map((id) => record('account-a', pinpointCreated(id))) as [
    ReturnType<typeof record>,
    ReturnType<typeof record>,
    ReturnType<typeof record>,
  ];

  it.each<[string, (models: ReadModels) => Promise<unknown>]>([
    ['find', ({ find }) => find('pinpoint', 1)],
    ['page', (it) => it.page(page)],
    ['membership', ({ membership }) => membership(1, [1])],
    ['applications', ({ applications }) => applications('', 10)],
    ['application', ({ application }) => application('app-1')],
    ['position', ({ position }) => position(0)],
  ])('reject %s before they have a position, because nothing may look deleted or empty', async (_, read) => {
    await expect(read(models())).rejects.toThrow(ReadModelsUnavailable);
  });

  it('start at an empty log without any events', async () => {
    expect(await models().apply(0, 0, [], beginning)).toBe(true);
    expect(await models().position(0)).toEqual(beginning);
    expect(await models().find('pinpoint', 1)).toBeUndefined();
    expect(await models().page(page)).toEqual({ items: [], before: false, after: false });
  });

  it('have the documents and the position of the applied events', async () => {
    expect(await models().apply(0, 0, [first, second], at(second))).toBe(true);
    expect(await models().position(0)).toEqual(at(second));
    expect((await models().page(page)).items.map(({ id }) => id)).toEqual([1, 2]);
  });

  it('move to a position beyond the last event of the batch', async () => {
    const to = { incarnation, position: first.position + 100, event: 'housekeeping' };
    expect(await models().apply(0, 0, [first], to)).toBe(true);
    expect(await models().apply(0, to.position, [], { ...to, position: to.position + 1 })).toBe(true);
    expect(await models().position(0)).toEqual({ ...to, position: to.position + 1 });
  });

  it('refuse a repeat', async () => {
    await models().apply(0, 0, [first], at(first));
    const before = await models().dump();
    expect(await models().apply(0, 0, [first], at(first))).toBe(false);
    expect(await models().apply(0, 0, [first, second], at(second))).toBe(false);
    expect(await models().dump()).toEqual(before);
    expect(await models().position(0)).toEqual(at(first));
  });

  it('refuse a gap', async () => {
    expect(await models().apply(0, first.position, [second], at(second))).toBe(false);
    await models().apply(0, 0, [first], at(first));
    const before = await models().dump();
    expect(await models().apply(0, second.position, [third], at(third))).toBe(false);
    expect(await models().dump()).toEqual(before);
    expect(await models().position(0)).toEqual(at(first));
  });

  it('refuse events of another log', async () => {
    await models().apply(0, 0, [first], at(first));
    expect(await models().apply(0, first.position, [second], { ...at(second), incarnation: 'another' })).toBe(false);
    expect(await models().find('pinpoint', 2)).toBeUndefined();
    expect(await models().position(0)).toEqual(at(first));
  });

  it('let one of two writers win', async () => {
    await models().apply(0, 0, [first], at(first));
    const outcomes = await Promise.all([
      models().apply(0, first.position, [second], at(second)),
      models().apply(0, first.position, [second, third], at(third)),
    ]);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await models().position(0)).toEqual(outcomes[0] ? at(second) : at(third));
  });

  it('keep a position for each partition', async () => {
    await models().apply(0, 0, [first], at(first));
    await expect(models().position(7)).rejects.toThrow(ReadModelsUnavailable);
    expect(await models().apply(7, 0, [second], at(second))).toBe(true);
    expect(await models().position(7)).toEqual(at(second));
    expect(await models().position(0)).toEqual(at(first));
  });

  it('apply nothing of a batch that contains an event newer than they know', async () => {
    await models().apply(0, 0, [first], at(first));
    const before = await models().dump();
    const newer = record('account-a', pinpointDeleted(1));
    const batch = [second, { ...newer, envelope: { ...newer.envelope, version: 99 } }];
    await expect(models().apply(0, first.position, batch, at(newer))).rejects.toThrow(NewerEvent);
    expect(await models().dump()).toEqual(before);
    expect(await models().position(0)).toEqual(at(first));
    expect(await models().apply(0, first.position, [second], at(second))).toBe(true);
  });

  it('ignore housekeeping events', async () => {
    const passed = housekeeping();
    await models().apply(0, 0, [first], at(first));
    const before = await models().dump();
    expect(await models().apply(0, first.position, [passed], at(passed))).toBe(true);
    expect(await models().dump()).toEqual(before);
    expect(await models().position(0)).toEqual(at(passed));
  });
};
