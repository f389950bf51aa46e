import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import { createTurnsByKey } from '@waymark/timing/turns-by-key.ts';
import type { Collection, FindCursor, FindOptions } from 'mongodb';
import { createPageSize } from '../page-size.ts';
import { ReadModelsUnavailable } from '../read-models.ts';
import { orUnavailable, timeoutOptions } from './client.ts';
import { type Collections, type DocumentRow, marker, pageIndexes, queryableId } from './collections.ts';
import { noPositionError } from './find.ts';
import { accountPagesMax, accountPagesWaitingMax, callMs, pageBatchMax } from './limits.ts';
import type { InTransaction, TransactionContext } from './transactions.ts';

type Item = Page['items'][number];

/** The shown items of one owner, as one range of an index. */
type Range = {
  /** Reads items in batches, from one end of a range of ids. */
  readonly items: (ids: Bound, order: 1 | -1, limit: number, options: FindOptions) => AsyncIterable<readonly Item[]>;
  readonly isAny: (ids: Bound, order: 1 | -1, options: FindOptions) => Promise<boolean>;
};
type Bound = { readonly $gt: number } | { readonly $gte: number } | { readonly $lt: number } | { readonly $lte: number };

const nothing: Page = { items: [], before: false, after: false };

/** Creates a function that reads pages, each in a transaction, at one snapshot. On servers that keep no history, a find alone may see some
 * concurrent writes, whatever its read concern. The pages of an account take turns, so that they do not occupy the database for the others. */
export const createPages = (collections: Collections, inTransaction: InTransaction): ((query: PageQuery) => Promise<Page>) => {
  const { pinpoint, list, happening, member } = collections;

  const ofAccount = (query: PageQuery): Promise<Page> =>
    inTransaction(callMs, async (at) => {
      const page = await both(ofDocuments(collections[query.kind], 'ofAccount', query.account), query, at);
      if (page.items.length === 0) await confirm(collections[query.kind], at);
      return page;
    });

  const ofPinpoint = (query: PageQuery, id: number): Promise<Page> =>
    inTransaction(callMs, async (at) => {
      if (!(await isShown(pinpoint, id, query.account, at))) return nothing;
      const page = await both(ofDocuments(happening, 'ofPinpoint', id), query, at);
      if (page.items.length === 0) await confirm(happening, at);
      return page;
    });

  const ofList = (query: PageQuery, id: number): Promise<Page> =>
    inTransaction(callMs, async (at) => {
      if (!(await isShown(list, id, query.account, at))) return nothing;
      const page = await both(ofMembers(member, pinpoint, id), query, at);
      if (page.items.length === 0 && !(await member.findOne({ _id: { $eq: marker.text } }, at))) throw noPositionError();
      return page;
    });

  const read = (query: PageQuery): Promise<Page> =>
    orUnavailable(async () => {
      if (query.within === null) return ofAccount(query);
      if (query.kind === 'pinpoint') return ofList(query, query.within);
      if (query.kind === 'happening') return ofPinpoint(query, query.within);
      await confirm(collections[query.kind], timeoutOptions(callMs));
      return nothing;
    });
  const tooMany = (): Error => new ReadModelsUnavailable('MongoDB: too many pages of an account wait.');
  const turns = createTurnsByKey(accountPagesMax, { max: accountPagesWaitingMax, tooMany });
  return (query) => turns(query.account, () => read(query));
};

/** The range of an account, or of a pinpoint. */
const ofDocuments = (documents: Collection<DocumentRow>, index: 'ofAccount' | 'ofPinpoint', owner: string | number): Range => {
  const filter = (ids: Bound) => ({ [index === 'ofAccount' ? 'account' : 'pinpoint']: { $eq: owner }, shown: { $eq: true }, _id: ids });
  return {
    items: (ids, order, limit, options) => {
      const together = { batchSize: Math.min(limit + 1, pageBatchMax), projection: { text: 1 } } as const;
      return batches(documents.find(filter(ids), { ...inOrder(index, order, limit), ...together, ...options }));
    },
    isAny: async (ids, order, options) => {
      const ask = { ...inOrder(index, order, 1), projection: { _id: 1 }, ...options } as const;
      return (await documents.find(filter(ids), ask).toArray()).length > 0;
    },
  };
};

/** The range of a list, with the texts of its pinpoints. */
const ofMembers = (members: Collections['member'], pinpoints: Collections['pinpoint'], list: number): Range => {
  const idsIn = async (ids: Bound, order: 1 | -1, limit: number, options: FindOptions): Promise<number[]> => {
    const filter = { list: { $eq: list }, shown: { $eq: true }, pinpoint: ids };
    const ask = { ...inOrder('ofList', order, limit), projection: { _id: 0, pinpoint: 1 }, ...options } as const;
    return (await members.find(filter, ask).toArray()).map(({ pinpoint }) => pinpoint);
  };
  return {
    items: async function* (ids, order, limit, options) {
      const found = await idsIn(ids, order, limit, options);
      for (let at = 0; at < found.length; at += pageBatchMax) {
        yield await withTexts(pinpoints, found.slice(at, at + pageBatchMax), options);
      }
    },
    isAny: async (ids, order, options) => (await idsIn(ids, order, 1, options)).length > 0,
  };
};

/** Sorts by all fields of the index. No other index has this order, so the planner never walks the ids of all accounts. A hint that names
 * the index is no better where an index has this order, and makes some servers read all of it. */
const inOrder = (index: keyof typeof pageIndexes, order: 1 | -1, limit: number) => ({
  sort: Object.fromEntries(Object.keys(pageIndexes[index].key).map((field) => [field, order])),
  limit,
  batchSize: limit + 1,
});

/** Yields items in the batches that the server sends. The next batch is requested only when it is needed. */
async function* batches(cursor: FindCursor<DocumentRow>): AsyncGenerator<readonly Item[]> {
  try {
    for (let row = await cursor.next(); row !== null; row = await cursor.next()) yield [row, ...cursor.readBufferedDocuments()].map(itemOf);
  } finally {
    await cursor.close();
  }
}

const itemOf = ({ _id, text }: Pick<DocumentRow, '_id' | 'text'>): Item => ({ id: _id, text });

/** The items of a page in the direction of its walk. `follows`: the item that the page starts after is still shown. `more`: further items
 * follow. */
type Walked = { readonly items: readonly Item[]; readonly follows: boolean; readonly more: boolean };

/** Walks from the item that the page starts after, until the page is full. */
const walk = async ({ items }: Range, { direction, from, limit }: PageQuery, options: FindOptions): Promise<Walked> => {
  const { fits } = createPageSize();
  const held: Item[] = [];
  let follows = false;
  const found = direction === 'forward' ? items({ $gte: from }, 1, limit + 2, options) : items({ $lte: from }, -1, limit + 2, options);
  for await (const batch of found) {
    for (const item of batch) {
      if (item.id === from) follows = true;
      else if (held.length === limit || !fits(item.text)) return { items: held, follows, more: true };
      else held.push(item);
    }
  }
  return { items: held, follows, more: false };
};

/** Returns the page; undefined where the range behind it still has to be queried. */
const sides = (query: PageQuery, { items, follows, more }: Walked, looked?: boolean): Page | undefined => {
  const behind = follows || (isEnd(query) ? false : looked);
  if (behind === undefined) return undefined;
  return query.direction === 'forward'
    ? { items, before: behind, after: more }
    : { items: items.toReversed(), before: more, after: behind };
};

/** Returns whether no item can come before the start: ids are positive and at most the largest safe integer. */
const isEnd = ({ direction, from }: PageQuery): boolean => (direction === 'forward' ? from <= 0 : from >= Number.MAX_SAFE_INTEGER);

/** Reads a page and what is on both sides of it. The item that a page starts after is almost always the neighbour on that side. Only if it
 * was deleted is that side queried. */
const both = async (range: Range, query: PageQuery, at: TransactionContext): Promise<Page> => {
  const walked = await walk(range, query, at);
  const page = sides(query, walked);
  if (page) return page;
  const { direction, from } = query;
  const behind = direction === 'forward' ? await range.isAny({ $lt: from }, -1, at) : await range.isAny({ $gt: from }, 1, at);
  return sides(query, walked, behind) ?? nothing;
};

const isShown = async (owners: Collections[ResourceKind], id: number, account: string, at: TransactionContext): Promise<boolean> => {
  const options = { projection: { account: 1, shown: 1 }, ...at } as const;
  const rows = await owners.find({ _id: { $in: [marker.number, queryableId(id)] } }, options).toArray();
  if (!rows.some(({ _id }) => _id === marker.number)) throw noPositionError();
  return rows.some((row) => row._id === id && row.shown && row.account === account);
};

/** @throws ReadModelsUnavailable where the collection was dropped: items that it lacks may well exist */
const confirm = async (documents: Collections[ResourceKind], options: FindOptions): Promise<void> => {
  if (!(await documents.findOne({ _id: { $eq: marker.number } }, options))) throw noPositionError();
};

const withTexts = async (pinpoints: Collections['pinpoint'], ids: readonly number[], options: FindOptions): Promise<Item[]> => {
  const ask = { projection: { text: 1 }, batchSize: ids.length + 1, ...options } as const;
  const rows = await pinpoints.find({ _id: { $in: [...ids] } }, ask).toArray();
  const texts = new Map(rows.map(({ _id, text }) => [_id, text]));
  return ids.map((id) => {
    const text = texts.get(id);
    if (text === undefined) throw new ReadModelsUnavailable(`Member ${id} is shown, but its pinpoint is missing.`);
    return { id, text };
  });
};
