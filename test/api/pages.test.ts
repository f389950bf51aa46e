import { inFlight, statusAndBody } from './client.ts';
import { aList, anEvent, aPinpoint, make, members, resources, unknownId } from './samples.ts';
import { idsOf, type Page, type Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const names = resources.map(({ name }) => name);
const empty: Page = { results: [], next: null, previous: null };

const aShelf = async (lists: number): Promise<{ me: Session; ids: number[] }> => {
  const me = await waymark.account();
  const made = await inFlight(16, Array.from({ length: lists }), () => me.create('/lists', aList()));
  return { me, ids: made.map(({ id }) => id).sort((one, other) => one - other) };
};

/** Returns the pages from one on, along `next` or `previous`. */
const walk = async (me: Session, from: string, along: 'next' | 'previous'): Promise<Page[]> => {
  const pages = [await me.page(from)];
  for (let page = pages[0]; page?.[along]; page = pages.at(-1)) pages.push(await me.page(page[along]));
  return pages;
};

describe('Order and size:', () => {
  it.each(names)('an account without %s has one empty page', async (name) => {
    const me = await waymark.account();
    expect(await me.page(`/${name}`)).toEqual(empty);
  });

  it('20 by default, by ascending id', async () => {
    const { me, ids } = await aShelf(45);
    const pages = await walk(me, '/lists', 'next');
    expect(pages.map(idsOf)).toEqual([ids.slice(0, 20), ids.slice(20, 40), ids.slice(40)]);
  });

  it.each(names)('a page of %s holds the objects as GET shows them', async (name) => {
    const me = await waymark.account();
    const made = [await make(me, name), await make(me, name)];
    expect(await me.page(`/${name}`)).toEqual({ results: made, next: null, previous: null });
  });

  it('a page that is exactly full is the last one', async () => {
    const { me, ids } = await aShelf(20);
    expect(await me.page('/lists')).toEqual({ ...(await me.page('/lists?limit=500')), next: null });
    expect(ids).toHaveLength(20);
  });

  it('limit applies to all following pages', async () => {
    const { me, ids } = await aShelf(8);
    const pages = await walk(me, '/lists?limit=3', 'next');
    expect(pages.map(idsOf)).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  });

  it('limit 1 to 500 is accepted, above it is 500', async () => {
    const { me, ids } = await aShelf(503);
    for (const [limit, size] of [
      [1, 1],
      [499, 499],
      [500, 500],
      [501, 500],
      [100_000, 500],
    ] as const) {
      expect(idsOf(await me.page(`/lists?limit=${limit}`))).toEqual(ids.slice(0, size));
    }
  });

  it('a page ends before its texts would exceed 2 MiB, and the walk continues in both directions', async () => {
    const me = await waymark.account();
    const mixed = Array.from({ length: 24 }, (_, nth) => '語'.repeat(nth % 5 === 0 ? 10 : 60_000 + 1_000 * nth));
    const made = await inFlight(4, mixed, (description) => me.create('/pinpoints', { ...aPinpoint(), description }));
    const ids = made.map(({ id }) => id).sort((one, other) => one - other);
    const bytesOf = (things: Page['results']): number => things.reduce((sum, each) => sum + Buffer.byteLength(JSON.stringify(each)), 0);

    const forth = await walk(me, '/pinpoints?limit=500', 'next');
    expect(forth.flatMap(idsOf)).toEqual(ids);
    for (const [nth, { results }] of forth.entries()) {
      expect(bytesOf(results)).toBeLessThanOrEqual(2 * 1024 * 1024);
      const next = forth[nth + 1]?.results[0];
      if (next) expect(bytesOf([...results, next])).toBeGreaterThan(2 * 1024 * 1024);
    }
    const back = await walk(me, forth.at(-1)?.previous ?? '', 'previous');
    expect([...back.toReversed().flatMap(idsOf), ...idsOf(forth.at(-1) as Page)]).toEqual(ids);
    for (const [nth, { results }] of back.entries()) {
      expect(bytesOf(results)).toBeLessThanOrEqual(2 * 1024 * 1024);
      const previous = back[nth + 1]?.results.at(-1);
      if (previous) expect(bytesOf([previous, ...results])).toBeGreaterThan(2 * 1024 * 1024);
    }
  }, 60_000);

  it.each(['abc', '2.5', '', '%00', '1e1', '5x', '[]'])('limit=%s is invalid and counts as 20', async (limit) => {
    const { me, ids } = await aShelf(22);
    expect(idsOf(await me.page(`/lists?limit=${limit}`))).toEqual(ids.slice(0, 20));
  });

  it.each(['0', '-3'])('limit=%s still returns a page', async (limit) => {
    const { me, ids } = await aShelf(22);
    expect([1, 20]).toContain(idsOf(await me.page(`/lists?limit=${limit}`)).length);
    expect(ids).toHaveLength(22);
  });
});

describe('next, previous:', () => {
  it('previous leads back over the same pages', async () => {
    const { me } = await aShelf(11);
    const forth = await walk(me, '/lists?limit=4', 'next');
    const back = await walk(me, forth.at(-2)?.next ?? '', 'previous');
    expect(back.reverse().map(idsOf)).toEqual(forth.map(idsOf));
    expect([forth[0]?.previous, forth.at(-1)?.next]).toEqual([null, null]);
  });

  it('a page that was reached by previous leads to the next page', async () => {
    const { me, ids } = await aShelf(9);
    const [, second] = await walk(me, '/lists?limit=3', 'next');
    const first = await me.page(second?.previous ?? '');
    expect(idsOf(first)).toEqual(ids.slice(0, 3));
    expect(first.previous).toBeNull();
    expect(idsOf(await me.page(first.next ?? ''))).toEqual(ids.slice(3, 6));
  });

  it.each([
    ['lists', '/lists?limit=1'],
    ['pinpoints', '/pinpoints?limit=1'],
    ['categories', '/categories?limit=1'],
    ['events', '/events?limit=1'],
  ])('are complete URLs on the public base URL: %s', async (name, path) => {
    const me = await waymark.account();
    for (let made = 0; made < 3; made += 1) await make(me, name);
    const [, second] = await walk(me, path, 'next');
    for (const url of [second?.next, second?.previous]) expect(url?.startsWith(`${waymark.url()}/v3.0/${name}?`)).toBe(true);
  });

  it.each(['Host', 'X-Forwarded-Host', 'Forwarded'])('never depend on %s', async (header) => {
    const { me } = await aShelf(2);
    const plain = await me.page('/lists?limit=1');
    const answer = await me.get('/lists?limit=1', { [header]: header === 'Forwarded' ? 'host=evil.example' : 'evil.example' });
    expect(answer.text).not.toContain('evil.example');
    expect((answer.body as Page).next?.startsWith(waymark.url())).toBe(true);
    expect(plain.next?.startsWith(waymark.url())).toBe(true);
  });

  it('the filter applies to all following pages', async () => {
    const { me, ids } = await aShelf(2);
    const made = await inFlight(8, Array.from({ length: 7 }), () => me.create('/pinpoints', aPinpoint()));
    const inside = made
      .slice(0, 5)
      .map(({ id }) => id)
      .sort((one, other) => one - other);
    await me.post(`/lists/${ids[0]}/pinpoints`, members(...inside));
    const pages = await walk(me, `/pinpoints?list=${ids[0]}&limit=2`, 'next');
    expect(pages.map(idsOf)).toEqual([inside.slice(0, 2), inside.slice(2, 4), inside.slice(4)]);
    const back = await walk(me, pages[1]?.next ?? '', 'previous');
    expect(back.map(idsOf)).toEqual([inside.slice(4), inside.slice(2, 4), inside.slice(0, 2)]);
  });
});

describe('Stability:', () => {
  it('a walk sees what existed throughout exactly once, whatever is written meanwhile', async () => {
    const me = await waymark.account();
    const pinpoint = (await make(me, 'pinpoints')).id;
    const made = await inFlight(16, Array.from({ length: 120 }), () => me.create('/events', anEvent(pinpoint)));
    const ids = made.map(({ id }) => id).sort((one, other) => one - other);
    const doomed = new Set(ids.filter((_, at) => at % 3 === 0));
    let isWalking = true;
    const write = async (): Promise<void> => {
      for (const id of doomed) {
        if (!isWalking) return;
        await me.delete(`/events/${id}`);
        await me.create('/events', anEvent(pinpoint));
        await me.put(`/events/${ids[1]}`, anEvent(pinpoint, { name: `Renamed ${id}` }));
      }
    };
    const writing = write();
    const seen = (await walk(me, `/events?pinpoint=${pinpoint}&limit=7`, 'next')).flatMap(idsOf);
    isWalking = false;
    await writing;

    const lasting = ids.filter((id) => !doomed.has(id));
    expect(seen.filter((id) => lasting.includes(id))).toEqual(lasting);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('the last object of a page may be deleted before the next page is read', async () => {
    const { me, ids } = await aShelf(6);
    const first = await me.page('/lists?limit=3');
    await me.delete(`/lists/${ids[2]}`);
    await me.delete(`/lists/${ids[3]}`);
    expect(idsOf(await me.page(first.next ?? ''))).toEqual(ids.slice(4));
  });
});

describe('?list=, ?pinpoint=:', () => {
  const filters = [
    ['pinpoints', 'list', 'lists'],
    ['events', 'pinpoint', 'pinpoints'],
  ] as const;

  it.each(
    filters.flatMap(([name, filter]) => ['abc', '1.5', '1e1', '0x1', '1,2', '%D9%A1'].map((value) => [name, filter, value] as const)),
  )('/%s?%s=%s is not an integer', async (name, filter, value) => {
    const me = await waymark.account();
    const answer = await me.get(`/${name}?${filter}=${value}`);
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { [filter]: ['Enter a whole number.'] } });
  });

  it.each(filters)('an unknown id gives an empty page: /%s?%s=', async (name, filter) => {
    const me = await waymark.account();
    await make(me, name);
    for (const value of [unknownId, 0, -1, '9'.repeat(30)]) expect(await me.page(`/${name}?${filter}=${value}`)).toEqual(empty);
  });

  it.each(filters)('an id of another account gives an empty page: /%s?%s=', async (name, filter, of) => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const { id } = await make(other, of);
    if (of === 'pinpoints') await other.create('/events', anEvent(id));
    else await other.post(`/lists/${id}/pinpoints`, members((await make(other, 'pinpoints')).id));
    expect((await other.page(`/${name}?${filter}=${id}`)).results).toHaveLength(1);
    expect(await me.page(`/${name}?${filter}=${id}`)).toEqual(empty);
  });
});
