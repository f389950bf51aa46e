import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { PageQuery } from '@waymark/domain/pages.ts';
import { resourceKinds } from '@waymark/domain/streams.ts';
import { openSqliteReadModels } from '@waymark/read-models/sqlite/read-models.ts';
import { accounts } from '@waymark/read-models/testing/histories.ts';
import { at, beginning } from '@waymark/read-models/testing/recorder.ts';
import type { HistoryReads } from '../history.ts';
import { answer } from '../reading/answer.ts';
import type { Reply } from '../reading/questions.ts';

/** The texts of a walk, forward and backward, and the objects of one kind by id. */
export type Seen = { readonly [query: string]: readonly string[] };

export type ReadPage = (query: PageQuery) => Promise<{ items: readonly string[]; next: number | null; previous: number | null }>;

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

export type SomeCollection = Pick<PageQuery, 'kind' | 'within'>;

/** All collections of an account, and those of its first lists and pinpoints. */
export const allCollections: readonly SomeCollection[] = [
  ...resourceKinds.map((kind) => ({ kind, within: null })),
  ...[1, 2, 3, 4, 5].flatMap((within) => [{ kind: 'pinpoint', within } as const, { kind: 'happening', within } as const]),
];

/** Returns what an account sees of collections. */
export const everything = async (page: ReadPage, account: string, limit: number, collections = allCollections): Promise<Seen> => {
  const seen: Record<string, readonly string[]> = {};
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

/** Reads pages as of a position. */
export const asOfReader =
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

/** Records what is seen of live read models after some of the events.
 * @param file a new file for the read models
 * @param moments the indexes of these events
 * @returns what was seen at their positions */
export const recordLive = async <Found>(
  file: string,
  events: readonly RecordedEvent[],
  moments: ReadonlySet<number>,
  see: (page: ReadPage, event: RecordedEvent) => Promise<Found>,
): Promise<ReadonlyMap<number, Found>> => {
  const models = openSqliteReadModels({ file, mode: 'writer' });
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
  const seen = new Map<number, Found>();
  let position = 0;
  for (const [index, event] of events.entries()) {
    await models.apply(0, position, [event], at(event));
    position = event.position;
    if (!moments.has(index)) continue;
    seen.set(position, await see(page, event));
  }
  models.close();
  return seen;
};

/** Sees everything of each account. */
export const everythingOfAll =
  (limit: number) =>
  (page: ReadPage): Promise<readonly Seen[]> =>
    Promise.all(accounts.map((account) => everything(page, account, limit)));
