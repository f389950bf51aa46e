import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import { sampleFile } from '@waymark/domain/testing/samples.ts';
import { pinpointText } from '../representations/pinpoint.ts';
import {
  added,
  createFacts,
  happeningCreated,
  happeningDeleted,
  happeningMoved,
  listCreated,
  listDeleted,
  mine,
  numbers,
  pinpointCreated,
  pinpointDeleted,
  pinpointFields,
  removed,
  theirs,
} from '../testing/facts.ts';
import type { ReadModelsUnderTest } from '../testing/subject.ts';

const query: PageQuery = { kind: 'pinpoint', account: mine, within: null, direction: 'forward', from: 0, limit: 3 };
const nothing: Page = { items: [], before: false, after: false };

export const pageContract = (models: () => ReadModelsUnderTest) => {
  const { apply, applyOf } = createFacts(models);

  /** Returns a page in the form `… 3 4 5 …`: the ids it holds, and whether there are items before and after it. */
  const look = async (asked: Partial<PageQuery>): Promise<string> => {
    const { items, before, after } = await models().page({ ...query, ...asked });
    return [...(before ? ['…'] : []), ...items.map(({ id }) => id), ...(after ? ['…'] : [])].join(' ');
  };

  it('return the prepared texts', async () => {
    await apply(pinpointCreated(1));
    const text = pinpointText(1, { ...pinpointFields, name: 'Pinpoint 1' });
    expect(await models().page(query)).toEqual({ items: [{ id: 1, text }], before: false, after: false });
  });

  it('go forward, and report whether there are items on both sides', async () => {
    await apply(...numbers(1, 7).map((id) => pinpointCreated(id)));
    expect(await look({ from: 0 })).toBe('1 2 3 …');
    expect(await look({ from: 3 })).toBe('… 4 5 6 …');
    expect(await look({ from: 6 })).toBe('… 7');
    expect(await look({ from: 4 })).toBe('… 5 6 7');
    expect(await look({ from: 7 })).toBe('…');
    expect(await look({ from: 0, limit: 7 })).toBe('1 2 3 4 5 6 7');
  });

  it('go backward, and report whether there are items on both sides', async () => {
    await apply(...numbers(1, 7).map((id) => pinpointCreated(id)));
    expect(await look({ direction: 'backward', from: 8 })).toBe('… 5 6 7');
    expect(await look({ direction: 'backward', from: 5 })).toBe('… 2 3 4 …');
    expect(await look({ direction: 'backward', from: 4 })).toBe('1 2 3 …');
    expect(await look({ direction: 'backward', from: 2 })).toBe('1 …');
    expect(await look({ direction: 'backward', from: 1 })).toBe('…');
    expect(await look({ direction: 'backward', from: Number.MAX_SAFE_INTEGER, limit: 7 })).toBe('1 2 3 4 5 6 7');
  });

  it('skip deleted items as if they had never existed', async () => {
    await apply(...numbers(1, 9).map((id) => pinpointCreated(id)));
    await apply(...[1, 4, 5, 9].map(pinpointDeleted));
    expect(await look({ from: 0 })).toBe('2 3 6 …');
    expect(await look({ from: 1 })).toBe('2 3 6 …');
    expect(await look({ from: 6 })).toBe('… 7 8');
    expect(await look({ direction: 'backward', from: 6 })).toBe('2 3 …');
    expect(await look({ direction: 'backward', from: 9 })).toBe('… 6 7 8');
  });

  it('hold nothing of another account', async () => {
    await apply(pinpointCreated(1, theirs), pinpointCreated(2), pinpointCreated(3, theirs), listCreated(1, theirs));
    await apply(happeningCreated(1, 1, theirs));
    expect(await look({})).toBe('2');
    expect(await look({ from: 2 })).toBe('…');
    expect(await look({ account: theirs })).toBe('1 3');
    expect(await look({ kind: 'list' })).toBe('');
    expect(await look({ kind: 'happening' })).toBe('');
    expect(await look({ account: 'nobody' })).toBe('');
  });

  it('page every kind', async () => {
    const fields = { name: 'Category', image: { ...sampleFile, type: 'image/png', bytes: 1 } };
    await apply(pinpointCreated(1), listCreated(5), happeningCreated(7, 1));
    await apply({ type: 'CategoryCreated', account: mine, category: 6, fields });
    expect(await look({ kind: 'list' })).toBe('5');
    expect(await look({ kind: 'category' })).toBe('6');
    expect(await look({ kind: 'happening' })).toBe('7');
  });

  it('list the members of a list by ascending id, in whatever order they were added', async () => {
    await apply(...numbers(1, 9).map((id) => pinpointCreated(id)), listCreated(1), listCreated(2));
    await apply(added(2, 1, 9), added(1, 8, 2, 4), added(1, 3, 6, 5), removed(1, 4));
    expect(await look({ within: 1 })).toBe('2 3 5 …');
    expect(await look({ within: 1, from: 5 })).toBe('… 6 8');
    expect(await look({ within: 1, direction: 'backward', from: 8 })).toBe('… 3 5 6 …');
    expect(await look({ within: 1, direction: 'backward', from: 5 })).toBe('2 3 …');
    expect(await look({ within: 1, from: 8 })).toBe('…');
    expect(await look({ within: 2 })).toBe('1 9');
  });

  it('list the happenings of a pinpoint at their current place', async () => {
    await apply(pinpointCreated(1), pinpointCreated(2), ...numbers(1, 6).map((id) => happeningCreated(id, 1 + (id % 2))));
    expect(await look({ kind: 'happening', within: 1 })).toBe('2 4 6');
    await apply(happeningMoved(3, 1), happeningMoved(6, 2), happeningDeleted(2));
    expect(await look({ kind: 'happening', within: 1 })).toBe('3 4');
    expect(await look({ kind: 'happening', within: 2, from: 1, limit: 1 })).toBe('… 5 …');
    expect(await look({ kind: 'happening', within: 2, direction: 'backward', from: 6, limit: 1 })).toBe('… 5 …');
  });

  it('are empty within an unknown object', async () => {
    await apply(pinpointCreated(1));
    expect(await models().page({ ...query, within: 99 })).toEqual(nothing);
    expect(await models().page({ ...query, kind: 'happening', within: 99 })).toEqual(nothing);
  });

  it('are empty within a deleted object', async () => {
    await apply(pinpointCreated(1), listCreated(1), added(1, 1), happeningCreated(1, 1), listDeleted(1));
    expect(await models().page({ ...query, within: 1, from: 5, direction: 'backward' })).toEqual(nothing);
    await apply(pinpointDeleted(1));
    expect(await models().page({ ...query, kind: 'happening', within: 1 })).toEqual(nothing);
  });

  it('are empty within an object of another account', async () => {
    await apply(pinpointCreated(1, theirs), listCreated(1, theirs));
    await applyOf(theirs, added(1, 1), happeningCreated(1, 1, theirs));
    expect(await models().page({ ...query, within: 1 })).toEqual(nothing);
    expect(await models().page({ ...query, kind: 'happening', within: 1, from: 1 })).toEqual(nothing);
    expect(await look({ account: theirs, within: 1 })).toBe('1');
  });

  it('never show a pinpoint of another account, nor its happenings, even if an event had put them there', async () => {
    await apply(pinpointCreated(1, theirs), pinpointCreated(2), listCreated(1), added(1, 1, 2), happeningCreated(1, 1));
    expect(await look({ within: 1 })).toBe('2');
    expect(await look({ kind: 'happening' })).toBe('');
    expect(await look({ kind: 'happening', account: theirs, within: 1 })).toBe('');
  });
};
