import { setImmediate as turn } from 'node:timers/promises';
import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import { largePageCharacters } from './page-size.ts';
import { oneLargePagePerTurn } from './page-turns.ts';
import { ReadModelsUnavailable } from './read-models.ts';

const query = (from: number): PageQuery => ({ kind: 'list', account: 'a', within: null, direction: 'forward', from, limit: 20 });
const pageOf = (characters: number): Page => ({ items: [{ id: 1, text: 'x'.repeat(characters) }], before: false, after: false });

describe('pages in turns', () => {
  it('are all read at once if they are small', () => {
    const read: number[] = [];
    const page = oneLargePagePerTurn(({ from }) => {
      read.push(from);
      return pageOf(100);
    });
    for (const from of [1, 2, 3]) void page(query(from));
    expect(read).toEqual([1, 2, 3]);
  });

  it('are read one per turn of the event loop if they are large, in the order of the requests', async () => {
    const read: number[] = [];
    const page = oneLargePagePerTurn(({ from }) => {
      read.push(from);
      return pageOf(from === 3 ? 100 : largePageCharacters);
    });
    const all = [1, 2, 3, 4].map((from) => page(query(from)));
    expect(read).toEqual([1]);
    await turn();
    expect(read).toEqual([1, 2]);
    await turn();
    expect(read).toEqual([1, 2, 3, 4]);
    expect(await Promise.all(all)).toHaveLength(4);
  });

  it('fail independently of each other', async () => {
    const page = oneLargePagePerTurn(({ from }) => {
      if (from === 2) throw new ReadModelsUnavailable('The read models are unavailable.');
      return pageOf(largePageCharacters);
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((from) => page(query(from))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
