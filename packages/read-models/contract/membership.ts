import { listsPerPinpointMax } from '../read-models.ts';
import {
  added,
  createFacts,
  happeningCreated,
  listCreated,
  listDeleted,
  numbers,
  pinpointCreated,
  pinpointDeleted,
  removed,
  theirs,
} from '../testing/facts.ts';
import type { ReadModelsUnderTest } from '../testing/subject.ts';

export const membershipContract = (models: () => ReadModelsUnderTest) => {
  const { apply } = createFacts(models);

  it('returns the members, the pinpoints of the account, and the list', async () => {
    await apply(pinpointCreated(1), pinpointCreated(2), pinpointCreated(3), pinpointCreated(4, theirs), listCreated(1));
    await apply(added(1, 1, 2), pinpointDeleted(3), removed(1, 2));
    const membership = await models().membership(1, [5, 4, 3, 2, 1]);
    expect(membership).toEqual({
      list: await models().find('list', 1),
      members: new Set([1]),
      pinpoints: new Set([1, 2]),
      full: new Set(),
    });
    expect(membership.list).toMatchObject({ id: 1, revision: 2, present: true });
  });

  it('returns only the requested ids', async () => {
    await apply(pinpointCreated(1), pinpointCreated(2), listCreated(1), added(1, 1, 2));
    expect(await models().membership(1, [2])).toMatchObject({ members: new Set([2]), pinpoints: new Set([2]) });
    expect(await models().membership(1, [])).toMatchObject({ members: new Set(), pinpoints: new Set() });
  });

  it('returns no pinpoint for an unknown list', async () => {
    await apply(pinpointCreated(1));
    const nothing = new Set();
    expect(await models().membership(9, [1])).toEqual({ list: undefined, members: nothing, pinpoints: nothing, full: nothing });
  });

  it('counts a member although its pinpoint is deleted, so that it can be removed', async () => {
    await apply(pinpointCreated(1), listCreated(1), added(1, 1), pinpointDeleted(1));
    expect(await models().membership(1, [1])).toMatchObject({ members: new Set([1]), pinpoints: new Set() });
  });

  it('counts no list and no happening that refers to a pinpoint which is created later', async () => {
    await apply(listCreated(1), added(1, 1), happeningCreated(1, 1), pinpointCreated(1), listCreated(2), added(2, 1));
    expect(await models().find('pinpoint', 1)).toMatchObject({ lists: 1, happenings: 0 });
  });

  it('reports a pinpoint as full that is in the maximum number of lists, not counting deleted lists', async () => {
    const lists = numbers(1, listsPerPinpointMax);
    await apply(pinpointCreated(1), pinpointCreated(2), listCreated(listsPerPinpointMax + 1));
    await apply(...lists.map((list) => listCreated(list)));
    await apply(...lists.slice(1).map((list) => added(list, 1, 2)), added(1, 2));
    const full = async () => (await models().membership(listsPerPinpointMax + 1, [1, 2])).full;
    expect(await full()).toEqual(new Set([2]));
    await apply(added(1, 1));
    expect(await full()).toEqual(new Set([1, 2]));
    await apply(listDeleted(1));
    expect(await full()).toEqual(new Set());
    await apply(added(listsPerPinpointMax + 1, 1));
    expect(await full()).toEqual(new Set([1]));
    await apply(removed(2, 1));
    expect(await full()).toEqual(new Set());
  });
};
