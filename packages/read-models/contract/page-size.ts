import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import { pageBytesMax, pageTextsTogether } from '../page-size.ts';
import { ReadModelsUnavailable } from '../read-models.ts';
import { pinpointText } from '../representations/pinpoint.ts';
import { added, createFacts, happeningCreated, listCreated, mine, numbers, pinpointCreated, pinpointDeleted } from '../testing/facts.ts';
import type { ReadModelsUnderTest } from '../testing/subject.ts';

const query: PageQuery = { kind: 'pinpoint', account: mine, within: null, direction: 'forward', from: 0, limit: 500 };

/** Returns a pinpoint whose stored text has `bytes` bytes. */
const sized = (pinpoint: number, bytes: number, character = 'x') => {
  const created = pinpointCreated(pinpoint);
  const bare = Buffer.byteLength(pinpointText(pinpoint, { ...created.fields, description: '' }));
  const rest = bytes - bare;
  const own = Buffer.byteLength(character);
  const description = character.repeat(Math.floor(rest / own)) + 'x'.repeat(rest % own);
  return { ...created, fields: { ...created.fields, description } };
};

const attemptsMax = 50;
const third = Math.floor(pageBytesMax / 3);

/** The contract for the limit on the bytes of a page's stored texts. */
export const pageSizeContract = (models: () => ReadModelsUnderTest) => {
  const { apply } = createFacts(models);

  /** Reads a page. On a slow machine, texts of some megabytes may take longer than the timeout of the store, so it tries again. */
  const page = async (asked: PageQuery): Promise<Page> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await models().page(asked);
      } catch (error) {
        if (!(error instanceof ReadModelsUnavailable) || attempt === attemptsMax) throw error;
      }
    }
  };

  /** Returns a page in the form `… 3 4 5 …`: the ids it holds, and whether there are items before and after it. */
  const look = async (asked: Partial<PageQuery>): Promise<string> => {
    const { items, before, after } = await page({ ...query, ...asked });
    return [...(before ? ['…'] : []), ...items.map(({ id }) => id), ...(after ? ['…'] : [])].join(' ');
  };

  /** Returns the ids of every page from one end to the other. */
  const walk = async (asked: Partial<PageQuery>): Promise<number[][]> => {
    const { direction } = { ...query, ...asked };
    const pages: number[][] = [];
    let from = direction === 'forward' ? 0 : Number.MAX_SAFE_INTEGER;
    for (;;) {
      const { items, after, before } = await page({ ...query, ...asked, from });
      const ids = items.map(({ id }) => id);
      pages.push(ids);
      if (direction === 'forward' ? !after : !before) return pages;
      const last = direction === 'forward' ? ids.at(-1) : ids[0];
      if (last === undefined || last === from) throw new Error('A page with a next page is empty.');
      from = last;
    }
  };

  it('end before the first text that would exceed the limit on their bytes', async () => {
    await apply(sized(1, pageBytesMax - 2_000), sized(2, 2_000), sized(3, 1_000));
    expect(await look({})).toBe('1 2 …');
    expect(await look({ from: 2 })).toBe('… 3');
    await apply(sized(4, pageBytesMax - 1_999, 'ü'), sized(5, 2_000), sized(6, 1_000));
    expect(await look({ from: 3 })).toBe('… 4 …');
    expect(await look({ from: 4 })).toBe('… 5 6');
  });

  it('hold at least one item, whatever its size', async () => {
    await apply(sized(1, pageBytesMax + 1), sized(2, pageBytesMax + 1), sized(3, 1_000));
    expect(await look({})).toBe('1 …');
    expect(await look({ from: 1 })).toBe('… 2 …');
    expect(await look({ direction: 'backward', from: 3 })).toBe('… 2 …');
    expect(await look({ direction: 'backward', from: 4 })).toBe('… 3');
  });

  it('apply the limit from their own end when they are read backward', async () => {
    await apply(...numbers(1, 7).map((id) => sized(id, third)));
    expect(await look({ direction: 'backward', from: 8 })).toBe('… 5 6 7');
    expect(await look({ direction: 'backward', from: 5 })).toBe('… 2 3 4 …');
    expect(await look({ direction: 'backward', from: 2 })).toBe('1 …');
  });

  it('do not count deleted items, nor the item that they start after', async () => {
    await apply(...numbers(1, 7).map((id) => sized(id, third)));
    await apply(pinpointDeleted(2), pinpointDeleted(4));
    expect(await look({})).toBe('1 3 5 …');
    expect(await look({ from: 1 })).toBe('… 3 5 6 …');
    expect(await look({ from: 4 })).toBe('… 5 6 7');
    expect(await look({ direction: 'backward', from: 7 })).toBe('… 3 5 6 …');
  });

  it('limit the pages of a list and of a pinpoint in the same way', async () => {
    await apply(listCreated(1), ...numbers(1, 7).map((id) => sized(id, third)), added(1, ...numbers(1, 7)));
    expect(await walk({ within: 1 })).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(await walk({ within: 1, direction: 'backward' })).toEqual([[5, 6, 7], [2, 3, 4], [1]]);
    const happening = (id: number) => {
      const created = happeningCreated(id, 1);
      return { ...created, fields: { ...created.fields, description: 'x'.repeat(third - 2_000) } };
    };
    await apply(...numbers(1, 5).map(happening));
    expect(await walk({ kind: 'happening', within: 1 })).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(await walk({ kind: 'happening', direction: 'backward' })).toEqual([
      [3, 4, 5],
      [1, 2],
    ]);
  });

  it('hold every item once in a walk over mixed sizes, in both directions', async () => {
    const count = 3 * pageTextsTogether;
    const bytesOf = (id: number): number => (id % 31 === 0 ? 900_000 : id % 7 === 0 ? 150_000 : 1_000 + id);
    await apply(listCreated(1));
    for (let from = 1; from < count; from += 16) await apply(...numbers(from, from + 15).map((id) => sized(id, bytesOf(id))));
    await apply(added(1, ...numbers(1, count)));
    for (const within of [null, 1]) {
      for (const limit of [20, pageTextsTogether - 1, pageTextsTogether, 500]) {
        for (const direction of ['forward', 'backward'] as const) {
          const ways = await walk({ limit, direction, within });
          expect((direction === 'forward' ? ways : ways.toReversed()).flat()).toEqual(numbers(1, count));
          for (const ids of ways) expect([ids.length, sum(ids.map(bytesOf)) <= pageBytesMax]).toEqual([Math.min(ids.length, limit), true]);
        }
      }
    }
  });
};

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
