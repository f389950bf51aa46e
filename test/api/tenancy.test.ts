import { type Answer, statusAndBody } from './client.ts';
import { make, members, resourceNamed } from './samples.ts';
import { idsOf, type Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const forbidden = { status: 403, body: { detail: 'You do not have permission to perform this action.' } };

type Reach = (me: Session, id: number) => Promise<Answer>;

/** Every way to reach an object by its id. */
const ways: readonly [method: string, path: string, reach: Reach][] = ['lists', 'pinpoints', 'categories', 'events'].flatMap((name) => {
  const path = `/${name}/:id`;
  const at = (id: number): string => `/${name}/${id}`;
  const reads: [string, string, Reach][] = [
    ['GET', path, (me, id) => me.get(at(id))],
    ['HEAD', path, (me, id) => me.send('HEAD', at(id))],
    ['PUT', path, async (me, id) => me.put(at(id), await resourceNamed(name).body(me, { name: 'Taken' }))],
  ];
  const deletion: [string, string, Reach] = ['DELETE', path, (me, id) => me.delete(at(id))];
  return name === 'categories' ? reads : [...reads, deletion];
});
const memberships: readonly [method: string, path: string, reach: Reach][] = [
  ['POST', '/lists/:id/pinpoints', async (me, id) => me.post(`/lists/${id}/pinpoints`, members((await make(me, 'pinpoints')).id))],
  ['DELETE', '/lists/:id/pinpoints', (me, id) => me.delete(`/lists/${id}/pinpoints`, members(1))],
];

describe('Tenancy: two accounts,', () => {
  it.each([...ways, ...memberships])("%s %s of the other's object is forbidden and has no effect", async (method, path, reach) => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const name = path.split('/')[1] ?? '';
    const theirs = await make(other, name);
    const answer = await reach(me, theirs.id);
    if (method === 'HEAD') expect(answer.status).toBe(403);
    else expect(statusAndBody(answer)).toEqual(forbidden);
    expect(await other.read(`/${name}/${theirs.id}`)).toEqual(theirs);
    expect(answer.headers.etag).toBeUndefined();
  });

  it.each([...ways, ...memberships].filter(([, path]) => !path.startsWith('/categories')))(
    "%s %s of the other's object is not found once it is deleted",
    async (_, path, reach) => {
      const name = path.split('/')[1] ?? '';
      const [me, other] = [await waymark.account(), await waymark.account()];
      const theirs = await make(other, name);
      await other.delete(`/${name}/${theirs.id}`);
      expect((await reach(me, theirs.id)).status).toBe(404);
    },
  );

  it.each(['lists', 'pinpoints', 'categories', 'events'])('no page of %s shows objects of the other', async (name) => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const [mine, theirs] = [await make(me, name), await make(other, name)];
    expect(idsOf(await me.page(`/${name}`))).toEqual([mine.id]);
    expect(idsOf(await other.page(`/${name}`))).toEqual([theirs.id]);
  });

  it("the other's pinpoint cannot join my list", async () => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const [list, theirs] = [(await make(me, 'lists')).id, (await make(other, 'pinpoints')).id];
    expect((await me.post(`/lists/${list}/pinpoints`, members(theirs))).body).toMatchObject({
      total: 0,
      errors: [{ id: theirs, code: 'not_found' }],
    });
    expect((await me.page(`/pinpoints?list=${list}`)).results).toEqual([]);
  });

  it("my removal of the other's pinpoint leaves it in their list", async () => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const [mine, theirs, pinpoint] = [(await make(me, 'lists')).id, (await make(other, 'lists')).id, (await make(other, 'pinpoints')).id];
    await other.post(`/lists/${theirs}/pinpoints`, members(pinpoint));
    expect((await me.delete(`/lists/${mine}/pinpoints`, members(pinpoint))).body).toEqual({ errors: [], total: 1 });
    expect(idsOf(await other.page(`/pinpoints?list=${theirs}`))).toEqual([pinpoint]);
  });

  it('If-None-Match reveals nothing about objects of the other', async () => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const { id } = await make(other, 'lists');
    const { etag = '' } = (await other.get(`/lists/${id}`)).headers;
    for (const condition of [etag, '*']) expect((await me.get(`/lists/${id}`, { 'If-None-Match': condition })).status).toBe(403);
  });
});
