import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { PageQuery } from '@waymark/domain/pages.ts';
import { resourceKinds, resourceStream } from '@waymark/domain/streams.ts';
import { openSqliteReadModels } from '@waymark/read-models/sqlite/read-models.ts';
import { erasures } from '@waymark/read-models/testing/erasures.ts';
import { accounts, histories } from '@waymark/read-models/testing/histories.ts';
import { applyAll, at, beginning } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import fc from 'fast-check';
import type { HistoryReads } from '../history.ts';
import { openSqliteHistory } from '../sqlite/history.ts';
import { answer } from './answer.ts';
import type { Reply } from './questions.ts';

const newFile = temporaryFiles();

/** The texts of a walk, forward and backward, and the objects of one kind by id. */
type Seen = { readonly [query: string]: readonly string[] };

type ReadPage = (query: PageQuery) => Promise<{ items: readonly string[]; next: number | null; previous: number | null }>;

/** Walks to the end of a collection and back. */
const walk = async (page: ReadPage, first: PageQuery): Promise<readonly string[]> => {
  const texts: string[] = [];
  let query: PageQuery | undefined = first;
  let last = first;
  while (query !== undefined) {
    const { items, next } = await page(query);
    texts.push(...items);
    last = query;
    query = next === null ? undefined : { ...query, direction: 'forward', from: next };
  }
  const back: string[] = [];
  query = last;
  while (query !== undefined) {
    const { items, previous } = await page(query);
    back.unshift(...items);
    query = previous === null ? undefined : { ...query, direction: 'backward', from: previous };
  }
  expect(back).toEqual(texts);
  return texts;
};

/** Returns everything that an account sees. */
const everything = async (page: ReadPage, account: string, limit: number): Promise<Seen> => {
  const seen: Record<string, readonly string[]> = {};
  const collections = [
    ...resourceKinds.map((kind) => ({ kind, within: null })),
    ...[1, 2, 3, 4, 5].flatMap((within) => [{ kind: 'pinpoint', within } as const, { kind: 'happening', within } as const]),
  ];
  for (const collection of collections) {
    const first: PageQuery = { ...collection, account, direction: 'forward', from: 0, limit };
    seen[JSON.stringify(collection)] = await walk(page, first);
  }
  return seen;
};

const pageOf = (reply: Reply) => {
  if (reply.outcome !== 'as-of-page') throw new Error(reply.outcome);
  return reply;
};

const asOfReader =
  (reads: HistoryReads, position: number): ReadPage =>
  async (query) =>
    pageOf(
      await answer(reads, {
        type: 'as-of',
        account: query.account,
        base: '',
        moment: { position, event: '' },
        read: { type: 'page', query },
      }),
    );

/** Records what each account saw after some of the events. */
const recordLive = async (events: readonly RecordedEvent[], moments: ReadonlySet<number>, limit: number) => {
  const models = openSqliteReadModels({ file: newFile(), mode: 'writer' });
  await models.apply(0, 0, [], beginning);
  const page: ReadPage = async (query) => {
    const { items, before, after } = await models.page(query);
    const texts = items.map(({ text }) => text.replaceAll('"media:', '"/media/'));
    return {
      items: texts,
      next: after ? (items.at(-1)?.id ?? query.from - 1) : null,
      previous: before ? (items[0]?.id ?? query.from + 1) : null,
    };
  };
  const seen = new Map<number, readonly Seen[]>();
  let position = 0;
  for (const [index, event] of events.entries()) {
    await models.apply(0, position, [event], at(event));
    position = event.position;
    if (!moments.has(index)) continue;
    seen.set(position, [await everything(page, accounts[0], limit), await everything(page, accounts[1], limit)]);
  }
  models.close();
  return seen;
};

const momentsOf = (events: readonly RecordedEvent[], picks: readonly number[]): ReadonlySet<number> =>
  new Set(picks.map((pick) => pick % Math.max(1, events.length)));

describe('reads as of a moment', () => {
  it('are the live reads of that moment, byte for byte, page by page', async () => {
    const picks = fc.array(fc.nat({ max: 1_000 }), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        histories({ minLength: 30, maxLength: 150 }),
        picks,
        fc.integer({ min: 1, max: 4 }),
        async ({ events }, some, limit) => {
          const live = await recordLive(events, momentsOf(events, some), limit);
          const history = openSqliteHistory(newFile());
          await applyAll(history.apply, events);
          await history.read(async (reads) => {
            for (const [position, seen] of live) {
              for (const [index, account] of accounts.entries()) {
                expect(await everything(asOfReader(reads, position), account, limit)).toEqual(seen[index]);
              }
            }
          });
          await history.close();
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('after an erasure are the live reads without what was erased', async () => {
    const picks = fc.array(fc.nat({ max: 1_000 }), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(erasures({ minLength: 30, maxLength: 100 }), picks, async ({ written, left }, some) => {
        const live = await recordLive(written, momentsOf(written, some), 3);
        const history = openSqliteHistory(newFile());
        await applyAll(history.apply, left);
        await history.read(async (reads) => {
          for (const [position, seen] of live) {
            for (const [index, account] of accounts.entries()) {
              const past = await everything(asOfReader(reads, position), account, 3);
              for (const [query, texts] of Object.entries(seen[index] ?? {})) {
                const kept = await unerased(reads, query, texts, position);
                expect([query, past[query]]).toEqual([query, kept]);
              }
            }
          }
        });
        await history.close();
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });
});

/** Returns the texts of a live walk without those that were erased after the moment. */
const unerased = async (reads: HistoryReads, query: string, texts: readonly string[], position: number): Promise<readonly string[]> => {
  const { kind, within } = JSON.parse(query) as Pick<PageQuery, 'kind' | 'within'>;
  const isErased = async (stream: string): Promise<boolean> => {
    const mark = await reads.erased(stream);
    const entry = (await reads.lastEntries([stream], position)).get(stream);
    return mark !== undefined && entry !== undefined && entry.revision < mark.revision;
  };
  if (kind === 'pinpoint' && within !== null && (await isErased(resourceStream('list', within)))) return [];
  const kept = await Promise.all(texts.map(async (text) => !(await isErased(resourceStream(kind, JSON.parse(text).id)))));
  return texts.filter((_, index) => kept[index]);
};
