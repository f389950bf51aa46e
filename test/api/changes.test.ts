import { randomUUID } from 'node:crypto';
import { historyOf, openAuditor } from './history.ts';
import { aCategory, aList, anEvent, aPinpoint, members } from './samples.ts';
import { bodyOf, type Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();
const auditor = () => openAuditor(waymark);

type AtLeast = { readonly at_least: number; readonly complete: boolean };
type Line = {
  readonly object: { readonly kind: string; readonly id: number };
  readonly change: string;
  readonly revisions: { readonly from: number | null; readonly to: number };
  readonly last: { readonly id: string; readonly action: string; readonly actor: { readonly id: string } };
  readonly history: string;
  readonly diff: string | null;
  readonly ended?: Readonly<Record<string, AtLeast>>;
};
type Changes = {
  readonly from: string | null;
  readonly to: string | null;
  readonly results: readonly Line[];
  readonly next: string | null;
};

/** Before every event. */
const beginning = '2020-01-01T00:00:00.000Z';

const pathOf = (from: string, to: string, query = ''): string => `/audit/v1/changes?from=${from}&to=${to}${query}`;

/** Returns all lines of a range, page by page. */
const linesOf = async (me: Session, first: string): Promise<readonly Line[]> => {
  const results: Line[] = [];
  let named: unknown;
  for (let path: string | null = first; path !== null; ) {
    const page: Changes = bodyOf<Changes>(await me.get(path), 200);
    named ??= [page.from, page.to];
    expect([page.from, page.to]).toEqual(named);
    if (page.next !== null) expect(page.results.length).toBeGreaterThan(0);
    results.push(...page.results);
    path = page.next;
  }
  return results;
};

const textsOf = (lines: readonly Line[]): readonly string[] => lines.map(({ object, change }) => `${object.kind} ${object.id} ${change}`);

/** Returns the id of the newest event of an object. */
const newest = async (me: Session, kind: string, id: number): Promise<string> => (await historyOf(me, kind, id))[0]?.id ?? '';

/** Returns some pinpoints, and the moment after their creation. */
const somePinpoints = async (me: Session, count: number) => {
  const ids: number[] = [];
  while (ids.length < count) ids.push((await me.create('/pinpoints', aPinpoint())).id);
  return { ids, moment: await newest(me, 'pinpoints', ids.at(-1) ?? 0) };
};

describe('the changes between two moments', () => {
  it('have one line for each object that was added, removed or changed, the newest change first, page by page', async () => {
    const me = await auditor();
    const { ids, moment: from } = await somePinpoints(me, 3);
    const [edited = 0, deleted = 0] = ids;
    const category = await me.create('/categories', await aCategory());
    for (const name of ['One', 'Two']) bodyOf(await me.put(`/pinpoints/${edited}`, aPinpoint({ name })), 200);
    const passing = await me.create('/lists', aList());
    expect((await me.delete(`/lists/${passing.id}`)).status).toBe(204);
    const list = await me.create('/lists', aList());
    expect((await me.delete(`/pinpoints/${deleted}`)).status).toBe(204);
    const to = await newest(me, 'pinpoints', deleted);
    await me.create('/lists', aList());
    const expected = [
      `pinpoints ${deleted} removed`,
      `lists ${list.id} added`,
      `pinpoints ${edited} changed`,
      `categories ${category.id} added`,
    ];
    for (const limit of [1, 2, 20]) expect(textsOf(await linesOf(me, pathOf(from, to, `&limit=${limit}`)))).toEqual(expected);
    const answer = await me.get(pathOf(from, to));
    expect([answer.headers['cache-control'], answer.headers['etag']]).toEqual(['no-store', undefined]);
    const { results, ...named } = bodyOf<Changes>(answer, 200);
    expect(named).toEqual({ from, to, next: null });
    const [removed, added, changed] = results;
    expect(changed).toMatchObject({ revisions: { from: 0, to: 2 }, last: { action: 'edited', actor: { id: me.application.client_id } } });
    expect(bodyOf(await me.get(String(changed?.diff)), 200)).toMatchObject({ from: 0, to: 2, fields: { name: { new: 'Two' } } });
    expect(bodyOf<{ results: unknown[] }>(await me.get(String(changed?.history)), 200).results).toHaveLength(3);
    expect(added).toMatchObject({ revisions: { from: null, to: 0 }, diff: null, last: { action: 'created' } });
    expect(removed).toMatchObject({ revisions: { from: 0, to: 1 }, diff: null, last: { id: to, action: 'deleted' } });
  });

  it('of a list are those of its members: an edited member is changed', async () => {
    const me = await auditor();
    const { ids } = await somePinpoints(me, 6);
    const [edited = 0, left = 0, deleted = 0, joined = 0, restless = 0, outside = 0] = ids;
    const list = await me.create('/lists', aList());
    const add = async (...some: number[]) => bodyOf(await me.post(`/lists/${list.id}/pinpoints`, members(...some)), 200);
    const remove = async (...some: number[]) => bodyOf(await me.delete(`/lists/${list.id}/pinpoints`, members(...some)), 200);
    await add(edited, left, deleted);
    const from = await newest(me, 'lists', list.id);
    for (const id of [outside, edited]) bodyOf(await me.put(`/pinpoints/${id}`, aPinpoint({ name: 'Renamed' })), 200);
    await add(joined, restless);
    await remove(left, restless);
    expect((await me.delete(`/pinpoints/${deleted}`)).status).toBe(204);
    const to = await newest(me, 'pinpoints', deleted);
    const expected = [
      `pinpoints ${deleted} removed`,
      `pinpoints ${left} removed`,
      `pinpoints ${joined} added`,
      `pinpoints ${edited} changed`,
    ];
    for (const limit of [1, 20]) {
      const lines = await linesOf(me, pathOf(from, to, `&list=${list.id}&limit=${limit}`));
      expect(textsOf(lines)).toEqual(expected);
      expect(lines.map(({ last }) => last.action)).toEqual(['deleted', 'removed_from_list', 'added_to_list', 'edited']);
    }
  });

  it('count what a deletion ended, at least; a deleted list is one line', async () => {
    const me = await auditor();
    const { ids } = await somePinpoints(me, 23);
    const [pinpoint = 0] = ids;
    const [one, two] = [await me.create('/lists', aList()), await me.create('/lists', aList())];
    bodyOf(await me.post(`/lists/${one.id}/pinpoints`, members(...ids)), 200);
    bodyOf(await me.post(`/lists/${two.id}/pinpoints`, members(pinpoint)), 200);
    await me.create('/events', anEvent(pinpoint));
    const from = await newest(me, 'lists', two.id);
    expect((await me.delete(`/pinpoints/${pinpoint}`)).status).toBe(204);
    expect((await me.delete(`/lists/${one.id}`)).status).toBe(204);
    expect((await me.delete(`/lists/${two.id}`)).status).toBe(204);
    const to = await newest(me, 'lists', two.id);
    const lines = await linesOf(me, pathOf(from, to));
    const exactly = (count: number): AtLeast => ({ at_least: count, complete: true });
    expect(lines.find(({ object }) => object.kind === 'pinpoints')?.ended).toEqual({ lists: exactly(2), events: exactly(1) });
    const endedOf = (id: number) => lines.find(({ object }) => object.kind === 'lists' && object.id === id)?.ended;
    expect([endedOf(one.id), endedOf(two.id)]).toEqual([{ pinpoints: { at_least: 20, complete: false } }, { pinpoints: exactly(0) }]);
    const ofList = await linesOf(me, pathOf(from, to, `&list=${one.id}`));
    expect(ofList).toEqual(lines.filter(({ object }) => object.kind === 'lists' && object.id === one.id));
  });

  it('can be of times, and keep the moments of the first page, whatever happens meanwhile', async () => {
    const me = await auditor();
    const { ids } = await somePinpoints(me, 3);
    const soon = new Date(Date.now() + 4_000).toISOString();
    const first = bodyOf<Changes>(await me.get(pathOf(beginning, soon, '&limit=2')), 200);
    expect([first.from, first.to]).toEqual([null, await newest(me, 'pinpoints', ids.at(-1) ?? 0)]);
    await somePinpoints(me, 1);
    bodyOf(await me.put(`/pinpoints/${ids[2]}`, aPinpoint({ name: 'Renamed' })), 200);
    const second = bodyOf<Changes>(await me.get(String(first.next)), 200);
    expect({ ...second, results: [] }).toEqual({ from: first.from, to: first.to, results: [], next: null });
    expect(textsOf([...first.results, ...second.results])).toEqual(ids.toReversed().map((id) => `pinpoints ${id} added`));
    expect(bodyOf<Changes>(await me.get(pathOf(String(first.to), String(first.to))), 200).results).toEqual([]);
  });

  it('are refused for what is no moment, for a reversed range, and for the lists and moments of others', async () => {
    const [me, other] = [await auditor(), await auditor()];
    const [mine, theirs] = [await me.create('/lists', aList()), await other.create('/lists', aList())];
    const [first, event] = [await newest(me, 'lists', mine.id), await newest(other, 'lists', theirs.id)];
    bodyOf(await me.put(`/lists/${mine.id}`, aList({ name: 'Renamed' })), 200);
    const last = await newest(me, 'lists', mine.id);
    const now = new Date().toISOString();
    const faultsOf = async (path: string) => Object.keys(bodyOf<object>(await me.get(path), 400));
    expect(await faultsOf('/audit/v1/changes')).toEqual(['from', 'to']);
    expect(await faultsOf(`/audit/v1/changes?from=${now}`)).toEqual(['to']);
    expect(await faultsOf(pathOf('yesterday', now))).toEqual(['from']);
    expect(await faultsOf(pathOf(first, new Date(Date.now() + 60_000).toISOString()))).toEqual(['to']);
    expect(await faultsOf(pathOf(last, first))).toEqual(['from']);
    expect(await faultsOf(pathOf('2020-01-02T00:00:00.000Z', beginning))).toEqual(['from']);
    expect(await faultsOf(pathOf(first, last, '&list=x'))).toEqual(['list']);
    const statusOf = async (path: string, session = me) => (await session.get(path)).status;
    expect(await statusOf(pathOf(first, last, `&list=${theirs.id}`))).toBe(403);
    for (const path of [pathOf(first, last, '&list=999999999'), pathOf(event, last), pathOf(first, randomUUID())]) {
      expect([path, await statusOf(path)]).toEqual([path, 404]);
    }
    expect(await statusOf(pathOf(first, last), await waymark.session(me.application, 'read'))).toBe(403);
    const { next } = bodyOf<Changes>(await me.get(pathOf(beginning, now, '&limit=1')), 200);
    if (next !== null) expect(await statusOf(next, other)).toBe(404);
    expect(await statusOf('/audit/v1/changes?cursor=x')).toBe(404);
  });

  it('after an erasure have nothing of what was erased, but say that the object changed', async () => {
    const me = await auditor();
    const secret = `secret-${randomUUID()}`;
    const pinpoint = await me.create('/pinpoints', aPinpoint({ name: secret }));
    const list = await me.create('/lists', aList({ name: secret }));
    bodyOf(await me.post(`/lists/${list.id}/pinpoints`, members(pinpoint.id)), 200);
    const from = await newest(me, 'lists', list.id);
    bodyOf(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'Public' })), 200);
    const forget = async (kind: string, id: number) =>
      bodyOf(await waymark.operator('POST', '/forget', { kind, id, account: me.application.account }), 200);
    await forget('pinpoint', pinpoint.id);
    const to = await newest(me, 'pinpoints', pinpoint.id);
    for (const query of ['', `&list=${list.id}`]) {
      const answer = await me.get(pathOf(from, to, query));
      expect(answer.text).not.toContain(secret);
      const [line] = bodyOf<Changes>(answer, 200).results;
      expect(line).toMatchObject({ object: { id: pinpoint.id }, change: 'changed', diff: null, last: { action: 'erased' } });
    }
    await forget('list', list.id);
    expect((await me.get(pathOf(from, to, `&list=${list.id}`))).status).toBe(410);
    const erased = await newest(me, 'lists', list.id);
    bodyOf(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'Renamed' })), 200);
    const last = await newest(me, 'pinpoints', pinpoint.id);
    expect(textsOf(await linesOf(me, pathOf(erased, last, `&list=${list.id}`)))).toEqual([`pinpoints ${pinpoint.id} changed`]);
  });
});
