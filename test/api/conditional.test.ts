import { type Answer, statusAndBody } from './client.ts';
import { aList, make, members, resourceNamed, resources } from './samples.ts';
import type { Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const names = resources.map(({ name }) => name);
const stale = '"never-was-one"';

const aListWithTag = async (): Promise<{ me: Session; path: string; etag: string }> => {
  const me = await waymark.account();
  const path = `/lists/${(await me.create('/lists', aList())).id}`;
  return { me, path, etag: (await me.get(path)).headers.etag ?? '' };
};

const expectStale = (answer: Answer): void => expect(statusAndBody(answer)).toEqual({ status: 412, body: { detail: expect.any(String) } });

describe('ETag:', () => {
  it.each(names)('is on every single-object response of %s, and always the same', async (name) => {
    const me = await waymark.account();
    const body = await resourceNamed(name).body(me);
    const created = await me.post(`/${name}`, body);
    const path = `/${name}/${(created.body as { id: number }).id}`;
    expect(created.headers.etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    const found = await me.get(path);
    const head = await me.send('HEAD', path);
    expect([found.headers.etag, head.headers.etag]).toEqual([created.headers.etag, created.headers.etag]);
    const changed = await me.put(path, { ...body, name: 'Renamed' });
    expect(changed.headers.etag).not.toBe(created.headers.etag);
    expect((await me.get(path)).headers.etag).toBe(changed.headers.etag);
  });

  it('is never the same for two states, even if the second state equals the first', async () => {
    const { me, path, etag } = await aListWithTag();
    await me.put(path, aList({ name: 'Other' }));
    const back = await me.put(path, aList());
    expect(back.headers.etag).not.toBe(etag);
  });
});

describe('If-None-Match:', () => {
  it.each([
    ['the tag', (etag: string) => etag],
    ['the tag, weak', (etag: string) => `W/${etag}`],
    ['a list with it', (etag: string) => `${stale}, ${etag}, "x"`],
    ['a list without spaces', (etag: string) => `${stale},${etag}`],
    ['any', () => '*'],
  ])('304 and no body: %s', async (_, condition) => {
    const { me, path, etag } = await aListWithTag();
    const answer = await me.get(path, { 'If-None-Match': condition(etag) });
    expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', etag]);
    expect((await me.send('HEAD', path, { headers: { 'If-None-Match': condition(etag) } })).status).toBe(304);
  });

  it.each([
    ['another', () => stale],
    ['the tag without quotes', (etag: string) => etag.slice(1, -1)],
    ['a part of it', (etag: string) => `${etag.slice(0, -2)}"`],
  ])('200 and the object: %s', async (_, condition) => {
    const { me, path, etag } = await aListWithTag();
    expect((await me.get(path, { 'If-None-Match': condition(etag) })).status).toBe(200);
  });

  it('200 again once the object has changed', async () => {
    const { me, path, etag } = await aListWithTag();
    await me.put(path, aList({ name: 'Renamed' }));
    const answer = await me.get(path, { 'If-None-Match': etag });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ name: 'Renamed' });
  });
});

describe('If-Match:', () => {
  it.each([
    ['the tag', (etag: string) => etag],
    ['a list with it', (etag: string) => `${stale}, ${etag}`],
    ['any', () => '*'],
  ])('PUT and DELETE are processed: %s', async (_, condition) => {
    const { me, path, etag } = await aListWithTag();
    const changed = await me.put(path, aList({ name: 'Renamed' }), { 'If-Match': condition(etag) });
    expect(changed.status).toBe(200);
    expect((await me.delete(path, undefined, { 'If-Match': condition(changed.headers.etag ?? '') })).status).toBe(204);
  });

  it.each([
    ['another', () => stale],
    ['a list without it', () => `${stale}, "x"`],
    ['the tag, weak', (etag: string) => `W/${etag}`],
  ])('PUT and DELETE are refused, and nothing changes: %s', async (_, condition) => {
    const { me, path, etag } = await aListWithTag();
    expectStale(await me.put(path, aList({ name: 'Renamed' }), { 'If-Match': condition(etag) }));
    expectStale(await me.delete(path, undefined, { 'If-Match': condition(etag) }));
    const answer = await me.get(path);
    expect([answer.status, answer.headers.etag]).toEqual([200, etag]);
  });

  it.each(['lists', 'pinpoints', 'events', 'categories'])('a tag from before a change is stale: %s', async (name) => {
    const me = await waymark.account();
    const body = await resourceNamed(name).body(me);
    const created = await me.post(`/${name}`, body);
    const path = `/${name}/${(created.body as { id: number }).id}`;
    await me.put(path, { ...body, name: 'Renamed' });
    expectStale(await me.put(path, { ...body, name: 'Too late' }, { 'If-Match': created.headers.etag }));
    expect(await me.read(path)).toMatchObject({ name: 'Renamed' });
  });

  it('is also checked on a PUT that changes nothing', async () => {
    const { me, path } = await aListWithTag();
    expectStale(await me.put(path, aList(), { 'If-Match': stale }));
  });

  it('of many concurrent writes exactly one succeeds', async () => {
    const { me, path, etag } = await aListWithTag();
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) => me.put(path, aList({ name: `Writer ${at}` }), { 'If-Match': etag })),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(15);
    expect((await me.get(path)).body).toEqual(winners[0]?.body);
  });

  it('a tag that is read after a membership change is current', async () => {
    const { me, path } = await aListWithTag();
    const { id } = await make(me, 'pinpoints');
    await me.post(`${path}/pinpoints`, members(id));
    const { etag } = (await me.get(path)).headers;
    expect((await me.put(path, aList({ name: 'Renamed' }), { 'If-Match': etag })).status).toBe(200);
  });
});
