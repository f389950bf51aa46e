import { randomUUID } from 'node:crypto';
import { historyOf, openAuditor } from './history.ts';
import { aFile } from './pictures.ts';
import { aCategory, aList, anEvent, aPinpoint, members } from './samples.ts';
import { bodyOf, type Page, type Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();
const auditor = () => openAuditor(waymark);

const collections = ['/pinpoints', '/lists', '/categories', '/events'];

/** Returns the objects of all pages of some collections. `at`: the path before the collections. */
const walks = async (me: Session, at: string, paths: readonly string[]): Promise<readonly unknown[]> => {
  const all: unknown[] = [];
  for (const first of paths) {
    const results: unknown[] = [];
    for (let path: string | null = `${at}${first}${first.includes('?') ? '&' : '?'}limit=2`; path !== null; ) {
      const page: Page = await me.page(path);
      results.push(...page.results);
      if (page.next !== null) expect(new URL(page.next).pathname).toBe(`${at === '' ? '/v3.0' : at}${first.replace(/\?.*/, '')}`);
      path = page.next;
    }
    all.push(results);
  }
  return all;
};

describe('a read as of a moment', () => {
  it('returns what clients got then, by the id of an event', async () => {
    const me = await auditor();
    const category = await me.create('/categories', await aCategory());
    const list = await me.create('/lists', aList());
    const paths = [...collections, `/pinpoints?list=${list.id}`];
    const moments: { event: string; seen: readonly unknown[] }[] = [];
    const note = async (kind: string, id: number): Promise<void> => {
      const [newest] = await historyOf(me, kind, id);
      moments.push({ event: newest?.id ?? '', seen: await walks(me, '', paths) });
    };
    await note('lists', list.id);
    const pinpoints = [];
    for (let count = 0; count < 5; count += 1) {
      pinpoints.push((await me.create('/pinpoints', aPinpoint({ category: category.id, media_file: await aFile() }))).id);
      await note('pinpoints', pinpoints[count] ?? 0);
    }
    const [first = 0, second = 0, third = 0] = pinpoints;
    const event = await me.create('/events', anEvent(first));
    bodyOf(await me.post(`/lists/${list.id}/pinpoints`, members(first, second, third)), 200);
    await note('lists', list.id);
    bodyOf(await me.put(`/pinpoints/${second}`, aPinpoint({ name: 'Renamed' })), 200);
    await note('pinpoints', second);
    expect((await me.delete(`/pinpoints/${first}`)).status).toBe(204);
    await note('pinpoints', first);
    bodyOf(await me.delete(`/lists/${list.id}/pinpoints`, members(third)), 200);
    await note('lists', list.id);
    expect((await me.delete(`/lists/${list.id}`)).status).toBe(204);
    await note('lists', list.id);
    for (const { event: moment, seen } of moments) expect(await walks(me, `/audit/v1/as-of/${moment}`, paths)).toEqual(seen);
    const [beforeDeletion] = (await historyOf(me, 'events', event.id)).filter(({ action }) => action === 'created');
    expect(bodyOf(await me.get(String(beforeDeletion?.as_of)), 200)).toEqual(event);
    expect((await me.get(`/audit/v1/as-of/${moments.at(-1)?.event}/events/${event.id}`)).status).toBe(404);
  });

  it('returns what clients got at a time, and names the last event that it includes', async () => {
    const me = await auditor();
    const list = await me.create('/lists', aList());
    const [created] = await historyOf(me, 'lists', list.id);
    await new Promise((resolve) => setTimeout(resolve, 5));
    bodyOf(await me.put(`/lists/${list.id}`, aList({ name: 'Renamed' })), 200);
    const then = await me.get(`/audit/v1/as-of/${created?.time}/lists/${list.id}`);
    expect([bodyOf(then, 200), then.headers['x-as-of-event'], then.headers['cache-control']]).toEqual([list, created?.id, 'no-store']);
    const now = await me.get(`/audit/v1/as-of/${new Date(Date.now() + 3_000).toISOString()}/lists/${list.id}`);
    expect(bodyOf(now, 200)).toMatchObject({ name: 'Renamed' });
    const before = `/audit/v1/as-of/2020-01-01T00:00:00.000Z`;
    expect(await me.page(`${before}/lists`)).toEqual({ results: [], next: null, previous: null });
    expect((await me.get(`${before}/lists/${list.id}`)).status).toBe(404);
  });

  it('keeps the position of its first page, whatever happens meanwhile', async () => {
    const me = await auditor();
    for (let count = 0; count < 4; count += 1) await me.create('/lists', aList({ name: `List ${count}` }));
    const soon = new Date(Date.now() + 4_000).toISOString();
    const first = await me.page(`/audit/v1/as-of/${soon}/lists?limit=2`);
    await me.create('/lists', aList({ name: 'Later' }));
    const second = await me.page(String(first.next));
    expect([...first.results, ...second.results].map(({ name }) => name)).toEqual(['List 0', 'List 1', 'List 2', 'List 3']);
    expect(second.next).toBeNull();
    expect((await me.page(String(second.previous))).results).toEqual(first.results);
  });

  it('is refused for what is no moment, for the future, and for the moments of others', async () => {
    const [me, other] = [await auditor(), await auditor()];
    const { id } = await other.create('/lists', aList());
    const [theirs] = await historyOf(other, 'lists', id);
    const statusAt = async (moment: string) => (await me.get(`/audit/v1/as-of/${moment}/lists`)).status;
    const noSuchDays = ['2026-13-01T00:00:00.000Z', '2026-02-30T00:00:00.000Z', '2026-02-28T24:00:00.000Z'];
    for (const moment of ['yesterday', '2026-06-01', ...noSuchDays, new Date(Date.now() + 60_000).toISOString()]) {
      expect([moment, await statusAt(moment)]).toEqual([moment, 400]);
    }
    for (const moment of [randomUUID(), String(theirs?.id)]) expect([moment, await statusAt(moment)]).toEqual([moment, 404]);
    const now = new Date().toISOString();
    expect((await me.get(`/audit/v1/as-of/${now}/lists/${id}`)).status).toBe(403);
    expect((await (await waymark.session(me.application, 'read')).get(`/audit/v1/as-of/${now}/lists`)).status).toBe(403);
  });

  it('after an erasure has nothing of what was erased', async () => {
    const me = await auditor();
    const secret = `secret-${randomUUID()}`;
    const pinpoint = await me.create('/pinpoints', aPinpoint({ name: secret }));
    const list = await me.create('/lists', aList());
    bodyOf(await me.post(`/lists/${list.id}/pinpoints`, members(pinpoint.id)), 200);
    const [added] = await historyOf(me, 'lists', list.id);
    bodyOf(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'Public' })), 200);
    const [edited] = await historyOf(me, 'pinpoints', pinpoint.id);
    const forget = async (kind: string, id: number) =>
      bodyOf(await waymark.operator('POST', '/forget', { kind, id, account: me.application.account }), 200);
    await forget('pinpoint', pinpoint.id);
    for (const event of [added?.id, edited?.id]) {
      expect((await me.get(`/audit/v1/as-of/${event}/pinpoints/${pinpoint.id}`)).status).toBe(410);
      expect((await me.page(`/audit/v1/as-of/${event}/pinpoints`)).results).toEqual([]);
      expect((await me.page(`/audit/v1/as-of/${event}/pinpoints?list=${list.id}`)).results).toEqual([]);
    }
    const [erased] = await historyOf(me, 'pinpoints', pinpoint.id);
    expect((await me.page(`/audit/v1/as-of/${erased?.id}/pinpoints?list=${list.id}`)).results).toMatchObject([{ name: 'Public' }]);
    await forget('list', list.id);
    expect((await me.page(`/audit/v1/as-of/${erased?.id}/pinpoints?list=${list.id}`)).results).toEqual([]);
  });
});
