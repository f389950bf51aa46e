import fc from 'fast-check';
import { inFlight } from '../api/client.ts';
import { aList, aPinpoint, members } from '../api/samples.ts';
import { idsOf, type Page, type Session } from '../api/session.ts';
import { ascending, inOrder, type Way, walk } from './pages/walking.ts';
import { parameters, testMs, within } from './parameters.ts';
import { useServer } from './server.ts';

const server = useServer();

const runs = 25;
const withinMs = 10_000;

/** A list, and the ids of its members in ascending order. */
type Shelf = { readonly me: Session; readonly list: number; readonly ids: readonly number[] };

const shelfOf = async (me: Session, count: number): Promise<Shelf> => {
  const list = (await me.create('/lists', aList())).id;
  const made = await inFlight(count, [...Array(count).keys()], async () => (await me.create('/pinpoints', aPinpoint())).id);
  const ids = made.toSorted(ascending);
  await me.post(`/lists/${list}/pinpoints`, members(...ids));
  return { me, list, ids };
};

const turned: Readonly<Record<Way, Way>> = { next: 'previous', previous: 'next' };

/** Removes everything that a page's pointer leads to, follows the pointer, and walks back from there. */
const emptied = async ({ me, list, ids }: Shelf, page: Page, way: Way): Promise<void> => {
  const url = page[way];
  if (url === null) return;
  const edge = (way === 'next' ? idsOf(page).at(-1) : idsOf(page)[0]) ?? 0;
  const isGone = (id: number): boolean => (way === 'next' ? id > edge : id < edge);
  await me.delete(`/lists/${list}/pinpoints`, members(...ids.filter(isGone)));
  const empty = await me.page(url);
  expect([idsOf(empty), empty[way]]).toEqual([[], null]);
  expect(inOrder(await walk(me, empty, turned[way]), turned[way])).toEqual(ids.filter((id) => !isGone(id)));
};

describe('a page whose objects were removed after its pointer was given out', () => {
  it.each<Way>(['next', 'previous'])(
    'leads back over all remaining objects, each once: %s',
    async (way) => {
      const me = await server().session(await server().application(`emptied ${way}`));
      const empty = async (count: number, limit: number, nth: number): Promise<void> => {
        const shelf = await shelfOf(me, count);
        const pages = await walk(me, await me.page(`/pinpoints?list=${shelf.list}&limit=${limit}`), 'next');
        const page = pages[nth % pages.length];
        if (page) await emptied(shelf, page, way);
      };
      const property = fc.asyncProperty(fc.integer({ min: 2, max: 12 }), fc.integer({ min: 1, max: 4 }), fc.nat(), within(withinMs, empty));
      await fc.assert(property, parameters(runs));
    },
    testMs,
  );
});
