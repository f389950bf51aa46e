import { randomUUID } from 'node:crypto';
import { statusAndBody } from './client.ts';
import { historyOf, openAuditor } from './history.ts';
import { aFile } from './pictures.ts';
import { aList, anEvent, aPinpoint, make, unknownId } from './samples.ts';
import { bodyOf, type Session } from './session.ts';
import { useTarget } from './target.ts';
import { add, edit, eventsAt, forget, kept, membersOf, order, remove, restore, undo } from './undo.ts';

const waymark = useTarget();
const editor = (): Promise<Session> => openAuditor(waymark);

describe('restoring a version', () => {
  it('sets all fields with one change, which names the event of the version', async () => {
    const me = await editor();
    const created = await me.create('/pinpoints', aPinpoint({ media_file: await aFile(), category: (await make(me, 'categories')).id }));
    await edit(me, 'pinpoints', created.id, aPinpoint({ name: 'B', media_file: null, category: null }));
    await edit(me, 'pinpoints', created.id, aPinpoint({ name: 'C', tags: ['x'] }));
    const report = await restore(me, 'pinpoints', created.id, 0);
    const [newest, , , version] = await historyOf(me, 'pinpoints', created.id);
    expect(report).toMatchObject({ object: { kind: 'pinpoints', id: created.id }, outcome: 'restored', event: newest?.id, revision: 3 });
    expect(newest).toMatchObject({ action: 'restored', cause: version?.id });
    expect(await me.read(`/pinpoints/${created.id}`)).toEqual(created);
  });

  it('changes nothing where the object is as it was', async () => {
    const me = await editor();
    for (const kind of ['pinpoints', 'lists', 'categories', 'events']) {
      const { id } = await make(me, kind);
      expect(await restore(me, kind, id, 0)).toMatchObject({ outcome: 'restored', event: null, revision: null });
      expect(await historyOf(me, kind, id)).toHaveLength(1);
    }
  });

  it('brings back a deleted object, and keeps the members of a list that is present', async () => {
    const me = await editor();
    const list = await me.create('/lists', aList());
    const [one, two] = [(await make(me, 'pinpoints')).id, (await make(me, 'pinpoints')).id];
    await add(me, list.id, one);
    await edit(me, 'lists', list.id, aList({ name: 'B' }));
    await add(me, list.id, two);
    await restore(me, 'lists', list.id, 0);
    expect(await me.read(`/lists/${list.id}`)).toEqual(list);
    expect(await membersOf(me, list.id)).toEqual([one, two]);
    await remove(me, `/lists/${list.id}`);
    await restore(me, 'lists', list.id, 2);
    expect(await me.read(`/lists/${list.id}`)).toMatchObject({ name: 'B' });
    expect(await membersOf(me, list.id)).toEqual([one, two]);
  });

  it('is refused while the pinpoint where an event took place is deleted', async () => {
    const me = await editor();
    const place = await make(me, 'pinpoints');
    const event = await me.create('/events', anEvent(place.id));
    await remove(me, `/events/${event.id}`);
    await remove(me, `/pinpoints/${place.id}`);
    expect(await kept(me, 'restore', 'events', event.id, 0)).toEqual({ reason: 'pinpoint-deleted' });
    await restore(me, 'pinpoints', place.id, 0);
    expect(await eventsAt(me, place.id)).toEqual([]);
    await restore(me, 'events', event.id, 0);
    expect(await eventsAt(me, place.id)).toEqual([event.id]);
  });

  it('that is a deletion: 404, which names it; that does not exist: 404; before the last erasure: 410', async () => {
    const me = await editor();
    const { id } = await me.create('/pinpoints', aPinpoint());
    await remove(me, `/pinpoints/${id}`);
    expect(bodyOf(await order(me, 'restore', 'pinpoints', id, 1), 404)).toMatchObject({ deleted: { revision: 1 } });
    expect((await order(me, 'restore', 'pinpoints', id, 2)).status).toBe(404);
    await forget(waymark, me, 'pinpoint', id);
    expect((await order(me, 'restore', 'pinpoints', id, 0)).status).toBe(410);
  });

  it('keeps the members of a list that was deleted and erased', async () => {
    const me = await editor();
    const list = await me.create('/lists', aList());
    const { id } = await make(me, 'pinpoints');
    await add(me, list.id, id);
    await forget(waymark, me, 'list', list.id);
    await remove(me, `/lists/${list.id}`);
    const [deletion] = await historyOf(me, 'lists', list.id);
    await undo(me, 'lists', list.id, Number(deletion?.revision));
    expect(await membersOf(me, list.id)).toEqual([id]);
  });
});

describe('a request', () => {
  const orders = ['restore', 'undo'] as const;
  const changed = async (me: Session): Promise<number> => {
    const { id } = await me.create('/pinpoints', aPinpoint());
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'B' }));
    return id;
  };
  /** Both orders have the same effect with these revisions. */
  const revisions = { restore: 0, undo: 1 };

  it.each(orders)('to %s with an Idempotency-Key is done once, and repeated with the same response', async (what) => {
    const me = await editor();
    const id = await changed(me);
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await order(me, what, 'pinpoints', id, revisions[what], key);
    expect(first.status).toBe(200);
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'C' }));
    expect(statusAndBody(await order(me, what, 'pinpoints', id, revisions[what], key))).toEqual(statusAndBody(first));
    expect((await order(me, what, 'pinpoints', id, 7, key)).status).toBe(422);
    expect(await historyOf(me, 'pinpoints', id)).toHaveLength(4);
  });

  it.each(orders)('to %s with an Idempotency-Key is done once, however often it is sent at the same time', async (what) => {
    const me = await editor();
    const id = await changed(me);
    const key = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => order(me, what, 'pinpoints', id, revisions[what], key)));
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
    expect(await historyOf(me, 'pinpoints', id)).toHaveLength(3);
  });

  it('to restore with an Idempotency-Key that has nothing to do has nothing to do either when it is repeated', async () => {
    const me = await editor();
    const { id } = await me.create('/pinpoints', aPinpoint());
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await order(me, 'restore', 'pinpoints', id, 0, key);
    expect(first.status).toBe(200);
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'B' }));
    expect(statusAndBody(await order(me, 'restore', 'pinpoints', id, 0, key))).toEqual(statusAndBody(first));
    expect(await me.read(`/pinpoints/${id}`)).toMatchObject({ name: 'B' });
  });

  it.each(orders)('to %s and edits at the same time are done one after the other', async (what) => {
    const me = await editor();
    const id = await changed(me);
    const edits = Array.from({ length: 5 }, (_, nth) => me.put(`/pinpoints/${id}`, aPinpoint({ name: 'B', tags: [`${nth}`] })));
    const answers = await Promise.all([order(me, what, 'pinpoints', id, revisions[what]), ...edits]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  });

  it.each([['audit'], ['write'], ['read write']])('to restore or undo needs the scopes audit and write: 403 with %s', async (scopes) => {
    const me = await waymark.session(await waymark.application(undefined, scopes.split(' ')));
    for (const what of orders) expect((await order(me, what, 'pinpoints', 1, 0)).status).toBe(403);
  });

  it.each(orders)("to %s is refused for another account's object, for no object, and for an application", async (what) => {
    const [me, other] = await Promise.all([editor(), editor()]);
    const id = await changed(me);
    expect((await order(other, what, 'pinpoints', id, revisions[what])).status).toBe(403);
    expect((await order(me, what, 'pinpoints', unknownId, 0)).status).toBe(404);
    expect((await me.post(`/audit/v1/applications/${me.application.client_id}/${what}`, { revision: 0 })).status).toBe(404);
  });

  it.each([
    [{}, 'This field is required.'],
    [{ revision: '1' }, 'A valid integer is required.'],
    [{ revision: 1.5 }, 'A valid integer is required.'],
    [{ revision: -1 }, 'Ensure this value is greater than or equal to 0.'],
  ])('to restore or undo names a revision: 400 for %j', async (body, message) => {
    const me = await editor();
    for (const what of orders) {
      const answer = await me.post(`/audit/v1/pinpoints/1/${what}`, body);
      expect(statusAndBody(answer)).toEqual({ status: 400, body: { revision: [message] } });
    }
  });
});
