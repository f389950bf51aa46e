import { inFlight, statusAndBody } from './client.ts';
import { aList, aPinpoint, make, members, resourceNamed, resources } from './samples.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const names = resources.map(({ name }) => name);
const noIds = [
  '0',
  '-1',
  'abc',
  '1.5',
  '1e3',
  '0x1',
  '9007199254740992',
  '99999999999999999999999',
  '%31%20',
  'null',
  '1;2',
  '1%00',
  '%D9%A1',
  '$ne',
  '[$gt]',
];

describe('ids:', () => {
  it.each(names)('an invalid id of %s is not found', async (name) => {
    const me = await waymark.account();
    const body = await resourceNamed(name).body(me);
    for (const id of noIds) {
      const answers = [await me.get(`/${name}/${id}`), await me.put(`/${name}/${id}`, body)];
      for (const answer of answers) expect(statusAndBody(answer)).toEqual({ status: 404, body: { detail: 'Not found.' } });
    }
  });

  it.each(['lists', 'pinpoints', 'events'])('an invalid id of %s is not found by DELETE', async (name) => {
    const me = await waymark.account();
    for (const id of noIds) expect((await me.delete(`/${name}/${id}`)).status).toBe(404);
  });

  it('an invalid id of a list is not found in the path of its pinpoints', async () => {
    const me = await waymark.account();
    for (const id of noIds) {
      expect((await me.post(`/lists/${id}/pinpoints`, members(1))).status).toBe(404);
      expect((await me.delete(`/lists/${id}/pinpoints`, members(1))).status).toBe(404);
    }
  });

  it.each(names)('%s of all accounts share one sequence of positive integers', async (name) => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const ids = [(await make(me, name)).id, (await make(other, name)).id, (await make(me, name)).id, (await make(other, name)).id];
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(Number.isSafeInteger(id) && id > 0).toBe(true);
  });

  it.each(['lists', 'pinpoints', 'events'])('an id of %s is never given out again', async (name) => {
    const me = await waymark.account();
    const body = await resourceNamed(name).body(me);
    const { id } = await me.create(`/${name}`, body);
    expect((await me.delete(`/${name}/${id}`)).status).toBe(204);
    const later = await inFlight(10, Array.from({ length: 50 }), () => me.create(`/${name}`, body));
    expect(new Set([id, ...later.map((made) => made.id)]).size).toBe(51);
    expect((await me.get(`/${name}/${id}`)).status).toBe(404);
  });

  it('objects that are created concurrently have different ids', async () => {
    const me = await waymark.account();
    const made = await inFlight(64, Array.from({ length: 200 }), () => me.create('/pinpoints', aPinpoint()));
    expect(new Set(made.map(({ id }) => id)).size).toBe(200);
  });

  it('a deleted object stays deleted', async () => {
    const me = await waymark.account();
    const { id } = await me.create('/lists', aList());
    expect((await me.delete(`/lists/${id}`)).status).toBe(204);
    const answers = [
      await me.get(`/lists/${id}`),
      await me.put(`/lists/${id}`, aList()),
      await me.delete(`/lists/${id}`),
      await me.post(`/lists/${id}/pinpoints`, []),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });
});
