import { statusAndBody } from './client.ts';
import { aList, aPinpoint, make, members, unknownId } from './samples.ts';
import { idsOf, type Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const pinpoints = async (me: Session, count: number): Promise<number[]> => {
  const ids: number[] = [];
  for (let made = 0; made < count; made += 1) ids.push((await me.create('/pinpoints', aPinpoint())).id);
  return ids;
};

const membersOf = async (me: Session, list: number): Promise<number[]> => idsOf(await me.page(`/pinpoints?list=${list}&limit=500`));

const notFound = (id: number): unknown => ({ id, code: 'not_found', detail: 'Not found.' });
const invalid = (id: unknown): unknown => ({ id, code: 'invalid', detail: expect.any(String) });
const tally = (errors: unknown[], total: number): unknown => ({ status: 200, body: { errors, total } });

/** Creates a list with two members, and a pinpoint that is not a member. */
const prepare = async (): Promise<{ me: Session; path: string; list: number; in1: number; in2: number; out: number }> => {
  const me = await waymark.account();
  const list = (await me.create('/lists', aList())).id;
  const [in1 = 0, in2 = 0, out = 0] = await pinpoints(me, 3);
  const path = `/lists/${list}/pinpoints`;
  await me.post(path, members(in1, in2));
  return { me, path, list, in1, in2, out };
};

describe('POST and DELETE /lists/:id/pinpoints:', () => {
  it('POST adds', async () => {
    const { me, path, list, in1, in2, out } = await prepare();
    expect(statusAndBody(await me.post(path, members(out)))).toEqual(tally([], 1));
    expect(await membersOf(me, list)).toEqual([in1, in2, out]);
  });

  it('DELETE removes, and does not change the pinpoint', async () => {
    const { me, path, list, in1, in2 } = await prepare();
    expect(statusAndBody(await me.delete(path, members(in1)))).toEqual(tally([], 1));
    expect(await membersOf(me, list)).toEqual([in2]);
    expect((await me.get(`/pinpoints/${in1}`)).status).toBe(200);
  });

  it('DELETE with Prefer: return=minimal gives 204 and no body', async () => {
    const { me, path, list, in1, in2 } = await prepare();
    const answer = await me.delete(path, members(in1, 'x'), { Prefer: 'return=minimal' });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await membersOf(me, list)).toEqual([in2]);
  });

  it('POST answers 200 with its body whatever Prefer requests', async () => {
    const { me, path, out } = await prepare();
    expect(statusAndBody(await me.post(path, members(out), { Prefer: 'return=minimal' }))).toEqual(tally([], 1));
  });

  it('a removed member can be added again', async () => {
    const { me, path, list, in1, in2 } = await prepare();
    await me.delete(path, members(in1));
    expect(statusAndBody(await me.post(path, members(in1)))).toEqual(tally([], 1));
    expect(await membersOf(me, list)).toEqual([in1, in2]);
  });

  it('a pinpoint can be in several lists independently', async () => {
    const { me, path, list, in1, in2 } = await prepare();
    const other = (await make(me, 'lists')).id;
    await me.post(`/lists/${other}/pinpoints`, members(in1));
    await me.delete(path, members(in1));
    expect([await membersOf(me, list), await membersOf(me, other)]).toEqual([[in2], [in1]]);
  });

  it.each(['GET', 'PUT', 'PATCH'])('%s is not allowed', async (method) => {
    const { me, path } = await prepare();
    const answer = await me.send(method, path);
    expect(statusAndBody(answer)).toEqual({ status: 405, body: { detail: `Method "${method}" not allowed.` } });
  });
});

describe('errors element:', () => {
  it('POST reports ids that are no pinpoint of this account as not_found, and adds the others', async () => {
    const { me, path, list, in1, in2, out } = await prepare();
    const foreign = (await make(await waymark.account(), 'pinpoints')).id;
    const answer = await me.post(path, members(unknownId, out, foreign));
    expect(statusAndBody(answer)).toEqual(tally([notFound(unknownId), notFound(foreign)], 1));
    expect(await membersOf(me, list)).toEqual([in1, in2, out]);
  });

  it('DELETE never reports not_found', async () => {
    const { me, path, in1 } = await prepare();
    const foreign = (await make(await waymark.account(), 'pinpoints')).id;
    expect(statusAndBody(await me.delete(path, members(unknownId, foreign, in1)))).toEqual(tally([], 3));
  });

  it.each(['POST', 'DELETE'])(
    '%s: an element without a positive integer id is reported as invalid, with the id that was sent',
    async (method) => {
      const { me, path, in1 } = await prepare();
      const sent = [
        { id: '7' },
        { id: 0 },
        { id: -1 },
        { id: 1.5 },
        { id: null },
        {},
        7,
        null,
        'x',
        [],
        { id: { a: [1] } },
        { id: true },
        { id: in1 },
        { id: 2 ** 53 },
      ];
      const shown = ['7', 0, -1, 1.5, null, null, null, null, null, null, { a: [1] }, true, 2 ** 53];
      const answer = await me.send(method, path, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(sent) });
      expect(statusAndBody(answer)).toEqual(tally(shown.map(invalid), 1));
    },
  );

  it('errors are in the order of the elements that were sent', async () => {
    const { me, path, in1 } = await prepare();
    const answer = await me.post(path, [{ id: unknownId }, 'x', { id: in1 }, { id: unknownId - 1 }, { id: '7' }]);
    expect(statusAndBody(answer)).toEqual(tally([notFound(unknownId), invalid(null), notFound(unknownId - 1), invalid('7')], 1));
  });

  it('each invalid element is reported, a repeated id only once', async () => {
    const { me, path, in1 } = await prepare();
    const answer = await me.post(path, [...members(unknownId, unknownId, in1, in1), {}, {}, 'x']);
    expect(statusAndBody(answer)).toEqual(tally([notFound(unknownId), invalid(null), invalid(null), invalid(null)], 1));
  });

  it('other fields of an element are ignored', async () => {
    const { me, path, out } = await prepare();
    expect(statusAndBody(await me.post(path, [{ id: out, name: 'x', code: 'y' }]))).toEqual(tally([], 1));
  });
});

describe('total:', () => {
  it('includes members that are added again', async () => {
    const { me, path, list, in1, in2, out } = await prepare();
    expect(statusAndBody(await me.post(path, members(in1, in2, out)))).toEqual(tally([], 3));
    expect(await membersOf(me, list)).toEqual([in1, in2, out]);
  });

  it('includes removed ids that were no members, whether or not they exist', async () => {
    const { me, path, list, in1, in2, out } = await prepare();
    expect(statusAndBody(await me.delete(path, members(out, unknownId)))).toEqual(tally([], 2));
    expect(await membersOf(me, list)).toEqual([in1, in2]);
  });

  it.each(['POST', 'DELETE'])('%s: total and errors add up to the distinct valid ids and the invalid elements', async (method) => {
    const { me, path, in1, out } = await prepare();
    const sent = [...members(in1, in1, out, unknownId, unknownId), 'x', {}];
    const answer = await me.send(method, path, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(sent) });
    const { errors, total } = answer.body as { errors: unknown[]; total: number };
    expect(total + errors.length).toBe(3 + 2);
  });

  it.each(['POST', 'DELETE'])('%s of an empty array answers 200 with a total of 0', async (method) => {
    const { me, path } = await prepare();
    const answer = await me.send(method, path, { headers: { 'Content-Type': 'application/json' }, body: '[]' });
    expect(statusAndBody(answer)).toEqual(tally([], 0));
  });
});

describe('Limits:', () => {
  it('1,000 elements are accepted', async () => {
    const { me, path, in1 } = await prepare();
    const answer = await me.post(path, members(...Array.from({ length: 999 }, (_, at) => unknownId - at), in1));
    const { errors, total } = answer.body as { errors: unknown[]; total: number };
    expect([errors.length, total]).toEqual([999, 1]);
    expect((await me.delete(path, members(...Array.from({ length: 1_000 }, (_, at) => at + 1)))).body).toEqual({
      errors: [],
      total: 1_000,
    });
  });

  it.each(['POST', 'DELETE'])('%s: 1,001 elements are refused', async (method) => {
    const { me, path } = await prepare();
    const body = JSON.stringify(members(...Array.from({ length: 1_001 }, () => 1)));
    const answer = await me.send(method, path, { headers: { 'Content-Type': 'application/json' }, body });
    expect(statusAndBody(answer)).toEqual({
      status: 400,
      body: { non_field_errors: ['Ensure this field has no more than 1000 elements.'] },
    });
  });

  it.each([
    ['POST', '{}', 'object'],
    ['DELETE', '{"id":1}', 'object'],
  ])('%s: %s is refused because it is no array', async (method, body, type) => {
    const { me, path } = await prepare();
    const answer = await me.send(method, path, { headers: { 'Content-Type': 'application/json' }, body });
    expect(statusAndBody(answer)).toEqual({
      status: 400,
      body: { non_field_errors: [`Expected a list of items but got type "${type}".`] },
    });
  });

  it.each(['7', '"x"', 'null', 'true'])('POST: %s is refused as well', async (body) => {
    const { me, path } = await prepare();
    const answer = await me.send('POST', path, { headers: { 'Content-Type': 'application/json' }, body });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Expected a list of items but got type');
  });
});

describe('Order:', () => {
  it('the pinpoints of a list are paged by ascending id, in whatever order they were added', async () => {
    const me = await waymark.account();
    const list = (await me.create('/lists', aList())).id;
    const ids = await pinpoints(me, 5);
    for (const at of [3, 0, 4]) await me.post(`/lists/${list}/pinpoints`, members(ids[at]));
    await me.post(`/lists/${list}/pinpoints`, members(ids[2], ids[1]));
    expect(await membersOf(me, list)).toEqual(ids);
  });
});
