import fc from 'fast-check';
import type { Page, Session } from '../api/session.ts';
import { type Random, randomFrom } from '../crash/random.ts';
import { type Picture, somePictures } from './commands/pictures.ts';
import { type Collection, collections, ofMixedSizes } from './pages/collections.ts';
import { inOrder, type Way, walk, withLimit } from './pages/walking.ts';
import { parameters, testMs, within } from './parameters.ts';
import { useServer } from './server.ts';

const server = useServer();
let pictures: readonly Picture[] = [];

beforeAll(async () => {
  pictures = await somePictures();
});

const runs = 25;
const mixedRuns = 6;
const withinMs = 6_000;
const writersMax = 4;

/** Returns the page to begin a walk at: the first one, or the last one. */
const start = async (me: Session, path: string, way: Way): Promise<Page> => {
  const first = await me.page(path);
  return way === 'next' ? first : ((await walk(me, first, 'next')).at(-1) ?? first);
};

/** Makes concurrent writes until it is stopped.
 * @returns a function that stops the writes and resolves to their number */
const startWrites = (collection: Collection, seeds: readonly number[]): (() => Promise<number>) => {
  let isOn = true;
  let writes = 0;
  const write = async (random: Random): Promise<void> => {
    while (isOn) {
      await collection.disturb(random);
      writes += 1;
    }
  };
  const writers = seeds.map((seed) => write(randomFrom(seed)));
  return async () => {
    isOn = false;
    await Promise.all(writers);
    return writes;
  };
};

const limits = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 500 }) },
);

/** Defines a test that walks the pages while others write. `check` is an additional check of every page. */
const seesEachOnce = (of: () => Collection, me: () => Session, check: (page: Page) => void, walks: number): void => {
  it(
    'sees each object that existed throughout exactly once, whatever is written meanwhile',
    async () => {
      const collection = of();
      let writes = 0;
      const property = fc.asyncProperty(
        fc.record({
          way: fc.constantFrom<Way[]>('next', 'previous'),
          limit: limits,
          seeds: fc.array(fc.nat(), { minLength: 1, maxLength: writersMax }),
        }),
        within(withinMs, async ({ way, limit, seeds }: { way: Way; limit: number; seeds: readonly number[] }) => {
          const stop = startWrites(collection, seeds);
          const pages = await start(me(), withLimit(collection.path, limit), way)
            .then((page) => walk(me(), page, way))
            .finally(async () => {
              writes += await stop();
            });
          const ids = inOrder(pages, way);
          const lasting = new Set(collection.lasting);
          expect(ids.filter((id) => lasting.has(id))).toEqual(collection.lasting);
          expect(ids.filter((id) => !collection.known.has(id))).toEqual([]);
          for (const page of pages) expect(page.results.length).toBeLessThanOrEqual(limit);
          for (const page of pages) check(page);
        }),
      );
      await fc.assert(property, parameters(walks));
      expect(writes).toBeGreaterThan(0);
    },
    testMs,
  );
};

const bytesMax = 2 * 1024 * 1024;
const bytesOf = ({ results }: Page): number => results.reduce((sum, each) => sum + Buffer.byteLength(JSON.stringify(each)), 0);

describe('a walk over texts of mixed sizes', () => {
  let me: Session;
  let collection: Collection;

  beforeAll(async () => {
    me = await server().session(await server().application('pages of mixed sizes'));
    collection = await ofMixedSizes(me);
  }, testMs);

  const isBounded = (page: Page): void => expect(bytesOf(page)).toBeLessThanOrEqual(bytesMax);
  seesEachOnce(
    () => collection,
    () => me,
    isBounded,
    mixedRuns,
  );
});

describe.each(Object.entries(collections(() => pictures)))('a walk over %s', (name, make) => {
  let me: Session;
  let collection: Collection;

  beforeAll(async () => {
    me = await server().session(await server().application(`pages of ${name}`));
    collection = await make(me);
  }, testMs);

  seesEachOnce(
    () => collection,
    () => me,
    () => undefined,
    runs,
  );

  it(
    'is the same in both directions, and each page is found again from its neighbour, when nothing is written',
    async () => {
      const property = fc.asyncProperty(limits, async (limit) => {
        const forth = await walk(me, await me.page(withLimit(collection.path, limit)), 'next');
        for (const [at, page] of forth.entries()) {
          const next = forth[at + 1];
          if (next?.previous) expect(await me.page(next.previous)).toEqual(page);
        }
        const back = await walk(me, forth.at(-1) as Page, 'previous');
        expect(back.toReversed()).toEqual(forth);
        expect([forth[0]?.previous, forth.at(-1)?.next]).toEqual([null, null]);
        expect(forth.slice(0, -1).map(({ results }) => results.length)).toEqual(forth.slice(1).map(() => limit));
      });
      await fc.assert(property, parameters(3));
    },
    testMs,
  );
});
