import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import fc from 'fast-check';
import { HttpError } from '../errors.ts';
import { createCursors } from './cursors.ts';
import { type Collection, pageQuery, pageText } from './paging.ts';

const base = 'https://maps.example';
const cursors = createCursors(['key'], 'incarnation');
const pinpoints: Collection = { kind: 'pinpoint', path: '/pinpoints', filter: 'list' };
const events: Collection = { kind: 'happening', path: '/events', filter: 'pinpoint' };
const lists: Collection = { kind: 'list', path: '/lists', filter: null };

const asked = (url: string, collection = pinpoints, account = 'a'): PageQuery => pageQuery(collection, account, url, cursors);

const first: PageQuery = { kind: 'pinpoint', account: 'a', within: null, direction: 'forward', from: 0, limit: 20 };

const problemOf = (work: () => unknown): HttpError => {
  try {
    work();
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
  throw new Error('The input was accepted.');
};

describe('a first page', () => {
  it.each(['/v3.0/pinpoints', '/v3.0/pinpoints?', '/v3.0/pinpoints/?x=y&__proto__=1&pinpoint=x', '/v3.0/pinpoints?Limit=3'])(
    'is requested by %s',
    (url) => {
      expect(asked(url)).toEqual(first);
    },
  );

  it.each([
    ['1', 1],
    ['500', 500],
    ['501', 500],
    ['9'.repeat(400), 500],
    ['0', 1],
    ['-5', 1],
    ['', 20],
    ['x', 20],
    ['5x', 20],
    ['1e2', 20],
    ['2.5', 20],
    ['%00', 20],
    ['٣', 20],
  ])('with limit=%s has at most %s items', (limit, items) => {
    expect(asked(`/v3.0/pinpoints?limit=${limit}`)).toEqual({ ...first, limit: items });
  });

  it('is filtered only by the filter of its collection', () => {
    expect(asked('/v3.0/pinpoints?list=7&pinpoint=8')).toEqual({ ...first, within: 7 });
    expect(asked('/v3.0/events?list=7&pinpoint=8', events)).toEqual({ ...first, kind: 'happening', within: 8 });
    expect(asked('/v3.0/lists?list=x&pinpoint=y', lists)).toEqual({ ...first, kind: 'list' });
  });

  it.each([['9'.repeat(400)], ['9007199254740993'], ['-9007199254740993']])('is empty if list=%s is too large for an id', (list) => {
    expect(asked(`/v3.0/pinpoints?list=${list}`)).toEqual({ ...first, within: 0 });
  });

  it.each([
    ['-7', -7],
    ['%2B7', 7],
    ['+7', 7],
    ['007', 7],
    ['1&list=7', 7],
  ])('is filtered by list=%s', (list, within) => {
    expect(asked(`/v3.0/pinpoints?list=${list}`)).toEqual({ ...first, within });
  });

  it.each(['', 'x', '1.5', '1e3', '0x10', 'null', '7;8', '7 8', '%00', '%ff', '[7]', '--7'])('is refused with list=%s', (list) => {
    expect(problemOf(() => asked(`/v3.0/pinpoints?list=${list}`))).toMatchObject({
      status: 400,
      body: { list: ['Enter a whole number.'] },
    });
  });
});

const links = (text: string): { readonly next: string | null; readonly previous: string | null } => {
  const { next, previous } = JSON.parse(text) as { next: string | null; previous: string | null };
  return { next, previous };
};

const page = (ids: readonly number[], before: boolean, after: boolean): Page => ({
  items: ids.map((id) => ({ id, text: `{"id":${id}}` })),
  before,
  after,
});

describe('a page', () => {
  it('contains the representations of its objects unchanged', () => {
    expect(pageText(lists, { ...first, kind: 'list' }, page([3, 9], false, false), base, cursors)).toBe(
      '{"results":[{"id":3},{"id":9}],"next":null,"previous":null}',
    );
    expect(pageText(lists, first, page([], false, false), base, cursors)).toBe('{"results":[],"next":null,"previous":null}');
  });

  it('links forward from its last object, and back from its first, with the same filter and size', () => {
    const query: PageQuery = { ...first, within: 7, from: 20, limit: 2 };
    const { next, previous } = links(pageText(pinpoints, query, page([21, 30], true, true), base, cursors));
    expect(next).toMatch(/^https:\/\/maps\.example\/v3\.0\/pinpoints\?cursor=[\w-]+$/);
    expect(asked(next ?? '')).toEqual({ ...query, from: 30 });
    expect(asked(previous ?? '')).toEqual({ ...query, direction: 'backward', from: 21 });
  });

  it('keeps its account, collection and size, whatever else the request asks for', () => {
    const { next } = links(pageText(pinpoints, { ...first, limit: 2 }, page([1, 2], false, true), base, cursors));
    const invalid = { status: 404, body: { detail: 'Invalid page.' } };
    expect(asked(`${next}&limit=100&pinpoint=9`)).toMatchObject({ limit: 2, within: null });
    expect(problemOf(() => asked(`${next}&list=9`))).toMatchObject(invalid);
    expect(problemOf(() => asked(next ?? '', pinpoints, 'b'))).toMatchObject(invalid);
    expect(problemOf(() => asked(next ?? '', lists))).toMatchObject(invalid);
    expect(problemOf(() => asked('/v3.0/pinpoints?cursor='))).toMatchObject(invalid);
    expect(problemOf(() => asked('/v3.0/pinpoints?cursor=x'))).toMatchObject(invalid);
  });
});

/** Reads a page of a collection in memory, as the port defines it. */
const read = (ids: readonly number[], { direction, from, limit }: PageQuery): Page => {
  if (direction === 'forward') {
    const following = ids.filter((id) => id > from);
    return page(
      following.slice(0, limit),
      ids.some((id) => id <= from),
      following.length > limit,
    );
  }
  const preceding = ids.filter((id) => id < from);
  return page(
    preceding.slice(-limit),
    preceding.length > limit,
    ids.some((id) => id >= from),
  );
};

const collection = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }).map((ids) => ids.sort((a, b) => a - b));

describe('following the links', () => {
  type Walk = { readonly seen: readonly number[]; readonly last: PageQuery };

  const walk = (ids: readonly number[], from: PageQuery, way: 'next' | 'previous'): Walk => {
    let seen: readonly number[] = [];
    let query = from;
    for (;;) {
      const found = read(ids, query);
      const here = found.items.map(({ id }) => id);
      seen = way === 'next' ? [...seen, ...here] : [...here, ...seen];
      const url = links(pageText(pinpoints, query, found, base, cursors))[way];
      if (url === null) return { seen, last: query };
      query = asked(url);
    }
  };

  it('to the end and back returns each object once, in both directions', () => {
    fc.assert(
      fc.property(collection, fc.integer({ min: 1, max: 10 }), (ids, limit) => {
        const there = walk(ids, { ...first, limit }, 'next');
        expect(there.seen).toEqual(ids);
        expect(walk(ids, there.last, 'previous').seen).toEqual(ids);
      }),
    );
  });

  it('back or forward from a page that has become empty skips no object', () => {
    fc.assert(
      fc.property(collection, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 10 }), (ids, from, limit) => {
        const upTo = ids.filter((id) => id <= from);
        const onwards = ids.filter((id) => id >= from);
        expect(walk(upTo, { ...first, from, limit }, 'previous').seen).toEqual(upTo);
        expect(walk(onwards, { ...first, direction: 'backward', from, limit }, 'next').seen).toEqual(onwards);
      }),
    );
  });
});
