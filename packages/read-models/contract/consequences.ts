import type { DomainEvent } from '@waymark/domain/event.ts';
import fc from 'fast-check';
import {
  added,
  createFacts,
  happeningCreated,
  happeningDeleted,
  happeningMoved,
  happeningRestored,
  listCreated,
  listDeleted,
  listRestored,
  mine,
  pinpointCreated,
  pinpointDeleted,
  pinpointRestored,
  removed,
  theirs,
} from '../testing/facts.ts';
import type { ReadModelsUnderTest } from '../testing/subject.ts';

export const consequencesContract = (models: () => ReadModelsUnderTest) => {
  const { apply, applyOf } = createFacts(models);
  const base = { account: mine, direction: 'forward', from: 0, limit: 500 } as const;
  const ids = async (kind: 'pinpoint' | 'list' | 'happening', within: number | null) =>
    (await models().page({ ...base, kind, within })).items.map(({ id }) => id);

  it('show no membership and no happening of a deleted pinpoint', async () => {
    await apply(pinpointCreated(1), pinpointCreated(2), listCreated(1), added(1, 1, 2));
    await apply(happeningCreated(1, 1), happeningCreated(2, 2), pinpointDeleted(1));
    expect(await ids('pinpoint', null)).toEqual([2]);
    expect(await ids('pinpoint', 1)).toEqual([2]);
    expect(await ids('happening', null)).toEqual([2]);
    expect(await models().find('happening', 1)).toMatchObject({ shown: false, present: true, revision: 0 });
  });

  it('keep what a deletion hides, so that it can be shown again', async () => {
    await apply(pinpointCreated(1), listCreated(1), added(1, 1), happeningCreated(1, 1));
    const happening = await models().find('happening', 1);
    await apply(pinpointDeleted(1));
    expect(await models().find('happening', 1)).toEqual({ ...happening, shown: false });
    expect(await models().find('pinpoint', 1)).toMatchObject({ lists: 1, happenings: 1 });
    expect((await models().membership(1, [1])).members).toEqual(new Set([1]));
  });

  it('show what a deletion has hidden once the pinpoint is restored, except what was deleted or belongs to another account', async () => {
    await apply(pinpointCreated(1), pinpointCreated(2), listCreated(1), listCreated(2, theirs), added(1, 1, 2));
    await apply(happeningCreated(1, 1), happeningCreated(2, 1), happeningDeleted(2), happeningCreated(3, 1, theirs));
    await applyOf(theirs, added(2, 1));
    const [before, happening] = [await models().find('pinpoint', 1), await models().find('happening', 1)];
    await apply(pinpointDeleted(1), added(1, 3));
    await apply(pinpointRestored(1));
    expect(await ids('pinpoint', null)).toEqual([1, 2]);
    expect(await ids('pinpoint', 1)).toEqual([1, 2]);
    expect(await ids('happening', null)).toEqual([1]);
    expect(await models().find('pinpoint', 1)).toEqual({ ...before, revision: 2 });
    expect(await models().find('happening', 1)).toEqual(happening);
    expect(await models().find('happening', 3)).toMatchObject({ shown: false, present: true });
    expect(await models().page({ ...base, account: theirs, kind: 'pinpoint', within: 2 })).toMatchObject({ items: [] });
  });

  it('leave a pinpoint shown or hidden as the last of several changes in one batch decides', async () => {
    await apply(pinpointCreated(1), listCreated(1), added(1, 1), happeningCreated(1, 1));
    await apply(pinpointDeleted(1), pinpointRestored(1));
    expect([await ids('pinpoint', 1), await ids('happening', null)]).toEqual([[1], [1]]);
    await apply(pinpointDeleted(1), pinpointRestored(1), pinpointDeleted(1));
    expect([await ids('pinpoint', 1), await ids('happening', null)]).toEqual([[], []]);
  });

  it('show a restored list with its members, and a restored happening at its pinpoint', async () => {
    await apply(pinpointCreated(1), listCreated(1), added(1, 1), happeningCreated(1, 1));
    const [list, happening, pinpoint] = [
      await models().find('list', 1),
      await models().find('happening', 1),
      await models().find('pinpoint', 1),
    ];
    await apply(listDeleted(1), happeningDeleted(1));
    await apply(listRestored(1), happeningRestored(1, 1));
    expect(await models().find('list', 1)).toEqual({ ...list, revision: 3 });
    expect(await models().find('happening', 1)).toEqual({ ...happening, revision: 2 });
    expect(await models().find('pinpoint', 1)).toEqual(pinpoint);
    expect(await ids('pinpoint', 1)).toEqual([1]);
    expect(await ids('happening', 1)).toEqual([1]);
  });

  it('count a happening once that is restored at another pinpoint while it is present', async () => {
    await apply(pinpointCreated(1), pinpointCreated(2), happeningCreated(1, 1));
    await apply(happeningRestored(1, 2));
    expect(await models().find('pinpoint', 1)).toMatchObject({ happenings: 0 });
    expect(await models().find('pinpoint', 2)).toMatchObject({ happenings: 1 });
    expect(await ids('happening', 2)).toEqual([1]);
  });

  it('show neither member nor happening that is added after the deletion of its pinpoint', async () => {
    await apply(pinpointCreated(1), listCreated(1), pinpointDeleted(1));
    await apply(added(1, 1), happeningCreated(1, 1), { type: 'HappeningEdited', happening: 1, fields: { name: 'Edited' } });
    expect(await ids('pinpoint', 1)).toEqual([]);
    expect(await ids('happening', null)).toEqual([]);
  });

  it('hide a happening that moves to a deleted pinpoint, and show one that moves to a present one', async () => {
    await apply(pinpointCreated(1), pinpointCreated(2), happeningCreated(1, 1), happeningCreated(2, 2), pinpointDeleted(1));
    await apply(happeningMoved(1, 2), happeningMoved(2, 1));
    expect(await ids('happening', null)).toEqual([1]);
    expect(await ids('happening', 2)).toEqual([1]);
  });

  it('change no member when a list is deleted', async () => {
    await apply(pinpointCreated(1), listCreated(1), listCreated(2), added(1, 1), added(2, 1));
    const before = await models().find('pinpoint', 1);
    await apply(listDeleted(1));
    expect(await models().find('pinpoint', 1)).toEqual(before);
    expect(await ids('pinpoint', 1)).toEqual([]);
    expect(await ids('pinpoint', 2)).toEqual([1]);
    expect(await ids('list', null)).toEqual([2]);
  });

  it('show nothing of a deleted pinpoint, for any order of the events that race with its deletion', async () => {
    const edit = { type: 'HappeningEdited', happening: 12, fields: { name: 'Edited' } } as const;
    // The events of one stream stay in order; the streams may interleave in any order.
    const streams: readonly (readonly DomainEvent[])[] = [
      [pinpointDeleted(1)],
      [added(1, 1), removed(1, 1)],
      [added(2, 2, 1)],
      [happeningCreated(11, 1)],
      [happeningCreated(12, 2), edit, happeningMoved(12, 1)],
      [happeningCreated(13, 1), happeningMoved(13, 2)],
      [happeningCreated(14, 1), happeningDeleted(14)],
    ];
    const turns = streams.flatMap((stream, index) => stream.map(() => index));
    const orders = fc.shuffledSubarray(turns, { minLength: turns.length });
    let first = 0;
    await fc.assert(
      fc.asyncProperty(orders, fc.boolean(), async (order, together) => {
        const next = streams.map(() => 0);
        // Each run has its own objects in the same read models.
        const own = (fact: DomainEvent): DomainEvent => shifted(fact, first);
        const facts = order.map((index) => {
          const fact = streams[index]?.[next[index] ?? 0];
          next[index] = (next[index] ?? 0) + 1;
          if (!fact) throw new Error('There is no event for this turn.');
          return own(fact);
        });
        await apply(...[pinpointCreated(1), pinpointCreated(2), listCreated(1), listCreated(2)].map(own));
        if (together) await apply(...facts);
        else for (const fact of facts) await apply(fact);
        expect(await ids('pinpoint', first + 1)).toEqual([]);
        expect(await ids('pinpoint', first + 2)).toEqual([first + 2]);
        expect(await ids('happening', first + 1)).toEqual([]);
        expect(await ids('happening', first + 2)).toEqual([first + 13]);
        expect(await models().find('pinpoint', first + 1)).toMatchObject({ shown: false, lists: 1, happenings: 2 });
        expect(await models().find('pinpoint', first + 2)).toMatchObject({ shown: true, lists: 1, happenings: 1 });
        for (const id of [11, 12]) expect(await models().find('happening', first + id)).toMatchObject({ shown: false });
        first += 100;
      }),
      { numRuns: 60 },
    );
  });
};

/** Returns the same fact with the object ids increased by `by`. */
const shifted = (fact: DomainEvent, by: number): DomainEvent =>
  JSON.parse(JSON.stringify(fact), (name, value) => {
    if (Array.isArray(value) && name === 'pinpoints') return value.map((id: number) => id + by);
    return typeof value === 'number' && ['pinpoint', 'list', 'happening'].includes(name) ? value + by : value;
  });
