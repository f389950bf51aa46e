import { randomUUID } from 'node:crypto';
import { actionsOf, historyOf, openAuditor } from './history.ts';
import { aFile } from './pictures.ts';
import { aCategory, aList, anEvent, aPinpoint, make } from './samples.ts';
import { bodyOf, type Session } from './session.ts';
import { useTarget } from './target.ts';
import { add, edit, eventsAt, forget, kept, membersOf, order, type Report, remove, restore, take, undo } from './undo.ts';

const waymark = useTarget();
const editor = (): Promise<Session> => openAuditor(waymark);

describe('undoing a change', () => {
  it('sets the fields to the values of before with one change, which names the one that it takes back', async () => {
    const me = await editor();
    const { id, ...created } = await me.create('/pinpoints', aPinpoint({ tags: ['a'] }));
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'New lighthouse', tags: ['b'] }));
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'New lighthouse', description: '<p>White.</p>' }));
    const correlation = randomUUID();
    const answer = await order(me, 'undo', 'pinpoints', id, 1, { 'Correlation-Id': correlation });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(answer.headers).not.toHaveProperty('etag');
    const [newest, , undone] = await historyOf(me, 'pinpoints', id);
    expect(bodyOf<Report>(answer, 200)).toEqual({
      object: { kind: 'pinpoints', id },
      outcome: 'undone',
      event: newest?.id,
      revision: 3,
      reason: null,
      fields: [],
      pinpoints: [],
    });
    expect(newest).toMatchObject({ action: 'edited', cause: undone?.id, correlation_id: correlation, actor: { kind: 'application' } });
    expect(Object.keys(newest?.changes ?? {})).toEqual(['name', 'tags']);
    expect(await me.read(`/pinpoints/${id}`)).toEqual({ id, ...created, description: '<p>White.</p>' });
  });

  it('changes nothing where later changes have set the same, and reports it', async () => {
    const me = await editor();
    const { id } = await me.create('/pinpoints', aPinpoint());
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'B', media_credits: 'B', address: 'B' }));
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'C', media_credits: 'C' }));
    expect(await kept(me, 'undo', 'pinpoints', id, 1)).toEqual({ reason: 'changed-since', fields: ['name', 'media_credits'] });
    await undo(me, 'pinpoints', id, 2);
    expect(await kept(me, 'undo', 'pinpoints', id, 2)).toEqual({ reason: 'changed-since', fields: ['name', 'media_credits'] });
  });

  it('is possible for every kind of object', async () => {
    const me = await editor();
    for (const kind of ['pinpoints', 'lists', 'categories', 'events']) {
      const created = await make(me, kind, { name: 'A' });
      const { id: _, media_url: _media, image_url: _image, ...rest } = created;
      await edit(me, kind, created.id, { ...rest, name: 'B' });
      expect(await undo(me, kind, created.id, 1)).toMatchObject({ outcome: 'undone', revision: 2 });
      expect(await me.read(`/${kind}/${created.id}`)).toEqual(created);
    }
  });

  it('returns files and dates that were replaced', async () => {
    const me = await editor();
    const place = await me.create('/pinpoints', aPinpoint());
    const created = await me.create('/events', anEvent(place.id, { media_file: await aFile() }));
    const dates = [{ start: '2031-01-01T00:00:00.000Z', end: '2031-01-02T00:00:00.000Z' }];
    await edit(me, 'events', created.id, anEvent(place.id, { media_file: await aFile('image/gif'), dates }));
    await undo(me, 'events', created.id, 1);
    expect(await me.read(`/events/${created.id}`)).toEqual(created);
    expect((await waymark.send({ method: 'GET', path: new URL(String(created['media_url'])).pathname })).status).toBe(200);
  });

  it('of a creation deletes the object, unless something else has changed it since, or refers to it', async () => {
    const me = await editor();
    const { id } = await me.create('/pinpoints', aPinpoint());
    expect(await undo(me, 'pinpoints', id, 0)).toMatchObject({ revision: 1 });
    expect((await me.get(`/pinpoints/${id}`)).status).toBe(404);
    expect(await kept(me, 'undo', 'pinpoints', id, 0)).toEqual({ reason: 'deleted-since' });

    const edited = await me.create('/pinpoints', aPinpoint());
    await edit(me, 'pinpoints', edited.id, aPinpoint({ name: 'B' }));
    expect(await kept(me, 'undo', 'pinpoints', edited.id, 0)).toEqual({ reason: 'changed-since' });

    const member = await me.create('/pinpoints', aPinpoint());
    const list = await me.create('/lists', aList());
    await add(me, list.id, member.id);
    await take(me, list.id, member.id);
    expect(await kept(me, 'undo', 'pinpoints', member.id, 0)).toEqual({ reason: 'in-use' });
    expect(await kept(me, 'undo', 'lists', list.id, 0)).toEqual({ reason: 'changed-since' });

    const place = await me.create('/pinpoints', aPinpoint());
    const event = await me.create('/events', anEvent(place.id));
    expect(await kept(me, 'undo', 'pinpoints', place.id, 0)).toEqual({ reason: 'in-use' });
    await undo(me, 'events', event.id, 0);
    expect(await eventsAt(me, place.id)).toEqual([]);

    const category = await me.create('/categories', await aCategory());
    expect(await kept(me, 'undo', 'categories', category.id, 0)).toEqual({ reason: 'never-deleted' });
  });

  it('of a deletion brings the object back, with its memberships and events', async () => {
    const me = await editor();
    const pinpoint = await me.create('/pinpoints', aPinpoint({ media_file: await aFile() }));
    const list = await me.create('/lists', aList());
    const event = await me.create('/events', anEvent(pinpoint.id));
    await add(me, list.id, pinpoint.id);
    await remove(me, `/pinpoints/${pinpoint.id}`);
    expect(await membersOf(me, list.id)).toEqual([]);
    expect(await undo(me, 'pinpoints', pinpoint.id, 1)).toMatchObject({ outcome: 'undone', revision: 2 });
    expect(await me.read(`/pinpoints/${pinpoint.id}`)).toEqual(pinpoint);
    expect(await membersOf(me, list.id)).toEqual([pinpoint.id]);
    expect(await eventsAt(me, pinpoint.id)).toEqual([event.id]);
    expect(actionsOf(await historyOf(me, 'lists', list.id))).toEqual([
      ...['created', 'members_added', 'member_deleted', 'member_restored'],
    ]);
    expect(await kept(me, 'undo', 'pinpoints', pinpoint.id, 1)).toEqual({ reason: 'changed-since' });

    await remove(me, `/lists/${list.id}`);
    await undo(me, 'lists', list.id, 2);
    expect(await membersOf(me, list.id)).toEqual([pinpoint.id]);
  });

  it('of an object that was deleted since changes nothing', async () => {
    const me = await editor();
    const { id } = await me.create('/pinpoints', aPinpoint());
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'B' }));
    await remove(me, `/pinpoints/${id}`);
    expect(await kept(me, 'undo', 'pinpoints', id, 1)).toEqual({ reason: 'deleted-since' });
  });

  it('of members removes those that were added, and adds those that were removed', async () => {
    const me = await editor();
    const list = await me.create('/lists', aList());
    const [one, two, three] = [(await make(me, 'pinpoints')).id, (await make(me, 'pinpoints')).id, (await make(me, 'pinpoints')).id];
    await add(me, list.id, one);
    await add(me, list.id, two, three);
    await undo(me, 'lists', list.id, 2);
    expect(await membersOf(me, list.id)).toEqual([one]);
    await undo(me, 'lists', list.id, 3);
    expect(await membersOf(me, list.id)).toEqual([one, two, three]);
    await edit(me, 'lists', list.id, aList({ name: 'Lights' }));
    await undo(me, 'lists', list.id, 4);
    expect(await membersOf(me, list.id)).toEqual([one]);
    expect(await me.read(`/lists/${list.id}`)).toMatchObject({ name: 'Lights' });
  });

  it('of members keeps those that were added or removed again, or deleted, since', async () => {
    const me = await editor();
    const list = await me.create('/lists', aList());
    const [one, two, three] = [(await make(me, 'pinpoints')).id, (await make(me, 'pinpoints')).id, (await make(me, 'pinpoints')).id];
    await add(me, list.id, one, two, three);
    await take(me, list.id, one, two);
    expect(await kept(me, 'undo', 'lists', list.id, 1)).toEqual({ reason: 'changed-since', pinpoints: [one, two] });
    await add(me, list.id, one);
    expect(await kept(me, 'undo', 'lists', list.id, 2)).toEqual({ reason: 'changed-since', pinpoints: [one] });
    expect(await kept(me, 'undo', 'lists', list.id, 1)).toEqual({ reason: 'changed-since', pinpoints: [one, two] });
    await take(me, list.id, three);
    await remove(me, `/pinpoints/${three}`);
    expect(await kept(me, 'undo', 'lists', list.id, 4)).toEqual({ reason: 'deleted-since', pinpoints: [three] });
  });

  it('of members ignores that a pinpoint was deleted and came back in between', async () => {
    const me = await editor();
    const list = await me.create('/lists', aList());
    const { id } = await make(me, 'pinpoints');
    await add(me, list.id, id);
    await remove(me, `/pinpoints/${id}`);
    await restore(me, 'pinpoints', id, 0);
    expect(await membersOf(me, list.id)).toEqual([id]);
    await undo(me, 'lists', list.id, 1);
    expect(await membersOf(me, list.id)).toEqual([]);
  });

  it('can be undone itself', async () => {
    const me = await editor();
    const created = await me.create('/pinpoints', aPinpoint());
    const edited = await edit(me, 'pinpoints', created.id, aPinpoint({ name: 'B' }));
    await undo(me, 'pinpoints', created.id, 1);
    await undo(me, 'pinpoints', created.id, 2);
    expect(await me.read(`/pinpoints/${created.id}`)).toEqual(edited);
    await remove(me, `/pinpoints/${created.id}`);
    await undo(me, 'pinpoints', created.id, 4);
    await undo(me, 'pinpoints', created.id, 5);
    expect((await me.get(`/pinpoints/${created.id}`)).status).toBe(404);
    await undo(me, 'pinpoints', created.id, 6);
    expect(await me.read(`/pinpoints/${created.id}`)).toEqual(edited);
    expect(actionsOf(await historyOf(me, 'pinpoints', created.id))).toEqual([
      ...['created', 'edited', 'edited', 'edited', 'deleted', 'restored', 'deleted', 'restored'],
    ]);
  });

  it('of an event needs the pinpoints where it takes place and took place', async () => {
    const me = await editor();
    const [here, there] = [await make(me, 'pinpoints'), await make(me, 'pinpoints')];
    const event = await me.create('/events', anEvent(here.id));
    await edit(me, 'events', event.id, anEvent(there.id));
    await remove(me, `/pinpoints/${here.id}`);
    expect(await kept(me, 'undo', 'events', event.id, 1)).toEqual({ reason: 'pinpoint-deleted', fields: ['pinpoint'] });
    await restore(me, 'pinpoints', here.id, 0);
    await undo(me, 'events', event.id, 1);
    expect(await eventsAt(me, here.id)).toEqual([event.id]);
  });

  it('that is not after the last erasure: 410', async () => {
    const me = await editor();
    const { id } = await me.create('/pinpoints', aPinpoint({ media_file: await aFile() }));
    await edit(me, 'pinpoints', id, aPinpoint({ media_file: await aFile() }));
    await forget(waymark, me, 'pinpoint', id);
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'B' }));
    for (const revision of [0, 1, 2]) expect((await order(me, 'undo', 'pinpoints', id, revision)).status).toBe(410);
    await undo(me, 'pinpoints', id, 3);
    expect(await me.read(`/pinpoints/${id}`)).toMatchObject({ name: 'Old lighthouse' });
  });
});
