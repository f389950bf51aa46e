import { aFile } from './pictures.ts';
import { aCategory, aList, anEvent, aPinpoint } from './samples.ts';
import { bodyOf, type Session, type Thing, tokenCall } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

type Forgotten = { readonly events: number; readonly revision: number; readonly files: number; readonly copies: boolean };

const forget = async (me: Session, kind: string, id: number): Promise<Forgotten> =>
  bodyOf<Forgotten>(await waymark.operator('POST', '/forget', { kind, id, account: me.application.account }), 200);

const pathsOf = { pinpoint: 'pinpoints', list: 'lists', category: 'categories', event: 'events' } as const;

/** Returns everything that an account sees. */
const everything = async (me: Session, lists: readonly number[]): Promise<readonly string[]> => {
  const paths = [...Object.values(pathsOf).map((path) => `/${path}`), ...lists.map((id) => `/pinpoints?list=${id}`)];
  return Promise.all(paths.map(async (path) => (await me.get(path)).text));
};

const fetched = (url: unknown) => waymark.send({ method: 'GET', path: new URL(String(url)).pathname });

describe('what an operator has an object forget', () => {
  it('changes nothing that a client sees, except for the entity tag', async () => {
    const me = await waymark.account();
    const category = await me.create('/categories', await aCategory());
    const pinpoint = await me.create('/pinpoints', aPinpoint({ category: category.id, media_file: await aFile() }));
    const gone = await me.create('/pinpoints', aPinpoint());
    const list = await me.create('/lists', aList());
    const event = await me.create('/events', anEvent(pinpoint.id));
    bodyOf(await me.post(`/lists/${list.id}/pinpoints`, [{ id: pinpoint.id }, { id: gone.id }]), 200);
    const edited = bodyOf<Thing>(
      await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'Now', media_file: await aFile('image/gif') })),
      200,
    );
    bodyOf(await me.put(`/events/${event.id}`, anEvent(pinpoint.id, { name: 'Later' })), 200);
    expect((await me.delete(`/pinpoints/${gone.id}`)).status).toBe(204);

    const before = await everything(me, [list.id]);
    const { headers } = await me.get(`/pinpoints/${pinpoint.id}`);
    expect(await forget(me, 'pinpoint', pinpoint.id)).toMatchObject({ events: 2, revision: 2, files: 1, copies: true });
    expect(await forget(me, 'pinpoint', gone.id)).toMatchObject({ events: 2, revision: 2, files: 0 });
    for (const [kind, id, events] of [
      ['list', list.id, 2],
      ['category', category.id, 1],
      ['event', event.id, 2],
    ] as const) {
      expect(await forget(me, kind, id)).toMatchObject({ events });
    }
    expect(await everything(me, [list.id])).toEqual(before);
    expect((await me.get(`/pinpoints/${gone.id}`)).status).toBe(404);
    const erased = await fetched(pinpoint['media_url']);
    expect([erased.status, bodyOf(erased, 410)]).toEqual([410, { detail: 'Gone.' }]);
    expect(erased.headers['cache-control']).toBe('private, no-cache');
    expect((await fetched(`http://x/media/${'0'.repeat(32)}.png`)).status).toBe(404);
    expect((await fetched(edited['media_url'])).status).toBe(200);
    expect(await forget(me, 'pinpoint', pinpoint.id)).toMatchObject({ events: 2, revision: 2, files: 0 });

    const again = bodyOf<Thing>(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'Afterwards' })), 200);
    expect(again).toMatchObject({ name: 'Afterwards', media_url: edited['media_url'] });
    expect((await me.get(`/pinpoints/${pinpoint.id}`)).headers['etag']).not.toBe(headers['etag']);
    const after = await everything(me, [list.id]);
    expect(after.map((text) => text.replaceAll('Afterwards', 'Now'))).toEqual(before);
  });

  it('keeps an application and its tokens working, without its name', async () => {
    const me = await waymark.account();
    const { client_id: id, account } = me.application;
    const made = await me.create('/pinpoints', aPinpoint());
    await waymark.operator('POST', `/applications/${id}/rotate`);
    const order = { kind: 'application', id, account };
    expect(bodyOf(await waymark.operator('POST', '/forget', order), 200)).toMatchObject({
      stream: `application-${id}`,
      events: 2,
      revision: 2,
    });
    const listed = await waymark.operator('GET', '/applications');
    const { applications } = bodyOf<{ applications: readonly { client_id: string }[] }>(listed, 200);
    expect(applications.find((one) => one.client_id === id)).toMatchObject({
      account,
      name: '',
      status: 'active',
      scopes: ['write', 'read'],
    });
    expect(await me.read(`/pinpoints/${made.id}`)).toEqual(made);
    const again = await waymark.session(me.application);
    expect((await again.put(`/pinpoints/${made.id}`, aPinpoint())).status).toBe(200);
    await waymark.operator('DELETE', `/applications/${id}`);
    expect(bodyOf(await waymark.operator('POST', '/forget', order), 200)).toMatchObject({ events: 4, revision: 4 });
    expect((await waymark.send(tokenCall(me.application))).status).toBe(401);
  });

  it('is refused while the object is on hold', async () => {
    const me = await waymark.account();
    const { id } = await me.create('/pinpoints', aPinpoint());
    const ask = (what: string, more = {}) =>
      waymark.operator('POST', `/${what}?by=clerk-3`, { kind: 'pinpoint', id, account: me.application.account, ...more });
    const why = { reason: 'legal-dispute', case: 'case-7' };
    expect(bodyOf(await ask('hold', why), 200)).toEqual({ stream: `pinpoint-${id}`, onHold: true });
    for (const what of ['hold', 'forget']) expect(bodyOf(await ask(what), 409)).toEqual({ detail: `pinpoint-${id} is on hold.` });
    expect((await me.put(`/pinpoints/${id}`, aPinpoint({ name: 'Later' }))).status).toBe(200);
    expect(bodyOf(await ask('release', why), 200)).toEqual({ stream: `pinpoint-${id}`, onHold: false });
    expect(bodyOf(await ask('release'), 409)).toEqual({ detail: `pinpoint-${id} is not on hold.` });
    expect(bodyOf(await ask('forget', why), 200)).toMatchObject({ events: 2 });
  });

  it('still gives a repeated request its first response, or 409 once the object is deleted', async () => {
    const me = await waymark.account();
    const key = { 'Idempotency-Key': 'once' };
    const made = bodyOf<Thing>(await me.post('/pinpoints', aPinpoint(), key), 201);
    await forget(me, 'pinpoint', made.id);
    expect(bodyOf<Thing>(await me.post('/pinpoints', aPinpoint(), key), 201)).toEqual(made);
    expect((await me.page('/pinpoints')).results).toHaveLength(1);
    expect((await me.delete(`/pinpoints/${made.id}`)).status).toBe(204);
    await forget(me, 'pinpoint', made.id);
    expect((await me.post('/pinpoints', aPinpoint(), key)).status).toBe(409);
  });

  it('must belong to the account that the operator names, and must exist', async () => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const { id } = await me.create('/pinpoints', aPinpoint());
    const asked = async (order: object) => (await waymark.operator('POST', '/forget', order)).status;
    const { account } = me.application;
    expect(await asked({ kind: 'pinpoint', id, account: other.application.account })).toBe(404);
    expect(await asked({ kind: 'list', id: 2 ** 50, account })).toBe(404);
    for (const order of [
      { kind: 'account', id, account },
      { kind: 'pinpoint', id: '1', account },
      { kind: 'pinpoint', id },
      { kind: 'application', id, account },
      [],
    ]) {
      expect(await asked(order)).toBe(400);
    }
    expect((await waymark.operator('POST', '/forget', { kind: 'event', id: 0, account })).status).toBe(400);
    expect((await waymark.operator('POST', '/forget?by=a@b', { kind: 'pinpoint', id, account })).status).toBe(400);
  });
});
