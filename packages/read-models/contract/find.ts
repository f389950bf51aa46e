import type { Secret } from '@waymark/domain/application/events.ts';
import { sampleEvents, sampleFile } from '@waymark/domain/testing/samples.ts';
import { categoryText } from '../representations/category.ts';
import { happeningText } from '../representations/happening.ts';
import { listText } from '../representations/list.ts';
import { pinpointText } from '../representations/pinpoint.ts';
import {
  added,
  createFacts,
  happeningCreated,
  happeningDeleted,
  happeningFields,
  happeningMoved,
  listCreated,
  listDeleted,
  mine,
  pinpointCreated,
  pinpointDeleted,
  pinpointFields,
  removed,
  theirs,
} from '../testing/facts.ts';
import type { ReadModelsUnderTest } from '../testing/subject.ts';

const image = sampleFile;
const file = JSON.stringify(image);
const asCreated = { account: mine, revision: 0, shown: true, present: true, lists: 0, happenings: 0 };
const asDeleted = { shown: false, present: false, text: '', file: null };

export const findContract = (models: () => ReadModelsUnderTest) => {
  const { apply, applyOf, applyErased } = createFacts(models);

  it('find nothing for an id that never existed', async () => {
    expect(await models().find('pinpoint', 1)).toBeUndefined();
  });

  it('find a created object with its prepared representation', async () => {
    const category = { ...sampleEvents.CategoryCreated, account: mine };
    await apply(pinpointCreated(1), listCreated(1), category, happeningCreated(1, 1));
    const text = pinpointText(1, { ...pinpointFields, name: 'Pinpoint 1' });
    expect(await models().find('pinpoint', 1)).toEqual({ ...asCreated, id: 1, text, file, happenings: 1 });
    const list = listText(1, { name: 'List 1', description: '' });
    expect(await models().find('list', 1)).toEqual({ ...asCreated, id: 1, text: list, file: null });
    const id = category.category;
    expect(await models().find('category', id)).toEqual({ ...asCreated, id, text: categoryText(id, category.fields), file });
    const happening = happeningText(1, { ...happeningFields, name: 'Happening 1', pinpoint: 1 });
    expect(await models().find('happening', 1)).toEqual({ ...asCreated, id: 1, text: happening, file });
  });

  it('find an edited object at its new revision, with unchanged fields kept', async () => {
    await apply(pinpointCreated(1), { type: 'PinpointEdited', pinpoint: 1, fields: { altitude: null, latitude: 1e-7 } });
    await apply({ type: 'PinpointEdited', pinpoint: 1, fields: { media: null, tags: [] } });
    const fields = { ...pinpointFields, name: 'Pinpoint 1', altitude: null, latitude: 1e-7, media: null, tags: [] };
    const text = pinpointText(1, fields);
    expect(await models().find('pinpoint', 1)).toEqual({ ...asCreated, id: 1, revision: 2, text, file: null });
  });

  it('find lists, categories and happenings as they were edited', async () => {
    const { category, fields } = sampleEvents.CategoryCreated;
    await apply(listCreated(1), { ...sampleEvents.CategoryCreated, account: mine }, pinpointCreated(1), happeningCreated(1, 1));
    await apply(
      { type: 'ListEdited', list: 1, fields: { name: 'Other' } },
      { type: 'CategoryEdited', category, fields: { name: 'Other' } },
      { type: 'HappeningEdited', happening: 1, fields: { name: 'Other', media: null } },
    );
    expect(await models().find('list', 1)).toMatchObject({ revision: 1, text: listText(1, { name: 'Other', description: '' }) });
    const text = categoryText(category, { ...fields, name: 'Other' });
    expect(await models().find('category', category)).toMatchObject({ revision: 1, text, file });
    const other = happeningText(1, { ...happeningFields, name: 'Other', media: null, pinpoint: 1 });
    expect(await models().find('happening', 1)).toMatchObject({ revision: 1, text: other, file: null });
  });

  it('find a deleted object without its text and its file', async () => {
    await apply(pinpointCreated(1), pinpointCreated(2), listCreated(1), happeningCreated(1, 2));
    await apply(pinpointDeleted(1), listDeleted(1), happeningDeleted(1));
    for (const kind of ['pinpoint', 'list', 'happening'] as const) {
      expect(await models().find(kind, 1)).toEqual({ ...asCreated, ...asDeleted, id: 1, revision: 1 });
    }
  });

  it('increase the revision of a list with its members', async () => {
    await apply(listCreated(1), pinpointCreated(1), added(1, 1));
    expect(await models().find('list', 1)).toMatchObject({ revision: 1 });
    await apply(removed(1, 1));
    expect(await models().find('list', 1)).toMatchObject({ revision: 2, text: listText(1, { name: 'List 1', description: '' }) });
  });

  it('count the lists of a pinpoint, deleted ones included', async () => {
    await apply(pinpointCreated(1), pinpointCreated(2), listCreated(1), listCreated(2), added(1, 1, 2), added(2, 1));
    await apply(listDeleted(2), removed(1, 2));
    expect(await models().find('pinpoint', 1)).toMatchObject({ lists: 2 });
    expect(await models().find('pinpoint', 2)).toMatchObject({ lists: 0 });
  });

  it('count the present happenings of a pinpoint, at their current place', async () => {
    await apply(pinpointCreated(1), pinpointCreated(2), happeningCreated(1, 1), happeningCreated(2, 1), happeningCreated(3, 1));
    await apply(happeningDeleted(1), happeningMoved(2, 2));
    expect(await models().find('pinpoint', 1)).toMatchObject({ happenings: 1 });
    expect(await models().find('pinpoint', 2)).toMatchObject({ happenings: 1 });
    await apply({ type: 'PinpointEdited', pinpoint: 1, fields: { name: 'Edited' } }, pinpointDeleted(2));
    expect(await models().find('pinpoint', 1)).toMatchObject({ happenings: 1 });
    expect(await models().find('pinpoint', 2)).toMatchObject({ happenings: 1 });
    await apply(happeningDeleted(2));
    expect(await models().find('pinpoint', 2)).toMatchObject({ happenings: 0 });
  });

  it('change only the revision for an event whose content was erased', async () => {
    await apply(pinpointCreated(1));
    const before = await models().find('pinpoint', 1);
    await applyErased({ type: 'PinpointEdited', pinpoint: 1, fields: { name: 'Erased' } });
    expect(await models().find('pinpoint', 1)).toEqual({ ...before, revision: 1 });
  });

  it('never show an object whose events were all erased, and continue', async () => {
    await applyErased(pinpointCreated(1), listCreated(1), sampleEvents.ApplicationRegistered, sampleEvents.AccountOpened);
    await apply({ type: 'PinpointEdited', pinpoint: 1, fields: { name: 'Later' } }, added(1, 1), happeningCreated(1, 1));
    await apply(pinpointDeleted(1), listDeleted(1), sampleEvents.SecretAdded);
    expect(await models().find('pinpoint', 1)).toMatchObject({ shown: false, present: false });
    expect(await models().find('list', 1)).toMatchObject({ shown: false, present: false });
    expect(await models().find('happening', 1)).toMatchObject({ shown: false, present: true });
    expect(await models().applications('', 10)).toEqual([]);
  });

  it('return every application, in limited pages in the order of their ids', async () => {
    const register = (application: string) => ({ ...sampleEvents.ApplicationRegistered, account: theirs, application });
    await apply(register('c'), register('a'), register('b'));
    const ids = async (after: string, limit: number) => (await models().applications(after, limit)).map(({ id }) => id);
    expect(await ids('', 2)).toEqual(['a', 'b']);
    expect(await ids('b', 2)).toEqual(['c']);
    expect(await ids('c', 2)).toEqual([]);
  });

  it('update an application until its deletion, and then keep only that it existed', async () => {
    const application = 'app-1';
    const { name, scopes, secret } = sampleEvents.ApplicationRegistered;
    const other: Secret = { id: 'other', hash: 'hash' };
    const found = () => models().application(application);
    expect(await found()).toBeUndefined();
    await apply({ ...sampleEvents.ApplicationRegistered, account: theirs, application });
    await applyOf(theirs, { type: 'SecretAdded', application, secret: other });
    const living = { id: application, account: theirs, name, scopes };
    expect(await found()).toEqual({ ...living, revision: 1, status: 'active', suspended: -1, secrets: [secret, other] });
    await applyOf(theirs, { type: 'SecretDropped', application, secretId: secret.id }, { type: 'ApplicationSuspended', application });
    expect(await found()).toEqual({ ...living, revision: 3, status: 'suspended', suspended: 3, secrets: [other] });
    await applyOf(theirs, { type: 'ApplicationResumed', application });
    expect(await found()).toMatchObject({ revision: 4, status: 'active', suspended: 3 });
    await applyOf(theirs, { type: 'ApplicationDeleted', application });
    const nothing = { name: '', scopes: [], secrets: [] };
    const deleted = { id: application, account: theirs, revision: 5, status: 'deleted', suspended: 3, ...nothing };
    expect(await found()).toEqual(deleted);
    expect(await models().applications('', 10)).toEqual([deleted]);
    expect(await models().application('app')).toBeUndefined();
  });
};
