import type { Numbered } from '@waymark/domain/streams.ts';
import type { Collection, FindOptions } from 'mongodb';
import { guarded, within } from './mongodb-client.ts';
import { askable, type Collections, type DocumentRow, marker, pageIndexes } from './mongodb-collections.ts';
import { notThere } from './mongodb-find.ts';
import { callMs } from './mongodb-limits.ts';
import type { InTransaction, Within } from './mongodb-transactions.ts';
import { type Page, type PageQuery, ReadModelsUnavailable } from './read-models.ts';

type Item = Page['items'][number];

/** Some of what is shown of one owner, from one end of a range of ids on: one range of an index. */
type Walk = (ids: Bound, order: 1 | -1, limit: number, options: FindOptions) => Promise<Item[]>;
type Bound = { readonly $gt: number } | { readonly $gte: number } | { readonly $lt: number } | { readonly $lte: number };

const nothing: Page = { items: [], before: false, after: false };

/** Reads pages, each in a transaction, at one snapshot: a find alone may see some of what is written meanwhile, whatever read concern it asks
 * for, on servers that keep no past. */
export const mongoPages = (collections: Collections, inTransaction: InTransaction): ((query: PageQuery) => Promise<Page>) => {
  const { pinpoint, list, happening, member } = collections;

  const ofAccount = (query: PageQuery): Promise<Page> =>
    inTransaction(callMs, async (at) => {
      const page = await both(walkOfAccount(collections[query.kind], query.account), query, at);
      if (page.items.length === 0) await confirm(collections[query.kind], at);
      return page;
    });

  const ofPinpoint = (query: PageQuery, id: number): Promise<Page> =>
    inTransaction(callMs, async (at) => {
      if (!(await isShown(pinpoint, id, query.account, at))) return nothing;
      const page = await both(walkOfPinpoint(happening, id), query, at);
      if (page.items.length === 0) await confirm(happening, at);
      return page;
    });

  const ofList = (query: PageQuery, id: number): Promise<Page> =>
    inTransaction(callMs, async (at) => {
      if (!(await isShown(list, id, query.account, at))) return nothing;
      const page = await both(walkOfList(member, id), query, at);
      if (page.items.length > 0) return { ...page, items: await withTexts(pinpoint, page.items, at) };
      if (!(await member.findOne({ _id: { $eq: marker.text } }, at))) throw notThere();
      return page;
    });

  return (query) =>
    guarded(async () => {
      if (query.within === null) return ofAccount(query);
      if (query.kind === 'pinpoint') return ofList(query, query.within);
      if (query.kind === 'happening') return ofPinpoint(query, query.within);
      await confirm(collections[query.kind], within(callMs));
      return nothing;
    });
};

const walkOfAccount =
  (documents: Collection<DocumentRow>, account: string): Walk =>
  async (ids, order, limit, options) => {
    const filter = { account: { $eq: account }, shown: { $eq: true }, _id: ids };
    return (await documents.find(filter, inOrder('ofAccount', order, limit, options)).toArray()).map(itemOf);
  };

const walkOfPinpoint =
  (happenings: Collections['happening'], pinpoint: number): Walk =>
  async (ids, order, limit, options) => {
    const filter = { pinpoint: { $eq: pinpoint }, shown: { $eq: true }, _id: ids };
    return (await happenings.find(filter, inOrder('ofPinpoint', order, limit, options)).toArray()).map(itemOf);
  };

/** Without texts: those are the pinpoints'. */
const walkOfList =
  (members: Collections['member'], list: number): Walk =>
  async (ids, order, limit, options) => {
    const filter = { list: { $eq: list }, shown: { $eq: true }, pinpoint: ids };
    const rows = await members.find(filter, inOrder('ofList', order, limit, options)).toArray();
    return rows.map(({ pinpoint }) => ({ id: pinpoint, text: '' }));
  };

const projections = {
  ofAccount: { text: 1 },
  ofPinpoint: { text: 1 },
  ofList: { _id: 0, pinpoint: 1 },
} as const;

/** In the order of the whole index: no other one has it, so that the planner never walks the ids of all accounts. To name the index instead
 * is no better where there is one with this order, and makes some servers read all of it. */
const inOrder = (index: keyof typeof pageIndexes, order: 1 | -1, limit: number, options: FindOptions) => ({
  sort: Object.fromEntries(Object.keys(pageIndexes[index].key).map((field) => [field, order])),
  limit,
  batchSize: limit + 1,
  projection: projections[index],
  ...options,
});

const itemOf = ({ _id, text }: Pick<DocumentRow, '_id' | 'text'>): Item => ({ id: _id, text });

/** The page's items in the order of the walk; before them the item that the page begins after, where it is still shown. */
const items = (walk: Walk, { direction, from, limit }: PageQuery, options: FindOptions): Promise<Item[]> =>
  direction === 'forward' ? walk({ $gte: from }, 1, limit + 2, options) : walk({ $lte: from }, -1, limit + 2, options);

/** Undefined where nobody looked behind, and somebody has to. */
const sides = (query: PageQuery, walked: readonly Item[], looked?: boolean): Page | undefined => {
  const { direction, from, limit } = query;
  const follows = walked[0]?.id === from;
  const behind = follows || (isEnd(query) ? false : looked);
  if (behind === undefined) return undefined;
  const rest = follows ? walked.slice(1) : walked;
  const more = rest.length > limit;
  const shown = rest.slice(0, limit);
  return direction === 'forward' ? { items: shown, before: behind, after: more } : { items: shown.reverse(), before: more, after: behind };
};

/** Nothing comes behind it: ids are positive, and no larger than numbers can be. */
const isEnd = ({ direction, from }: PageQuery): boolean => (direction === 'forward' ? from <= 0 : from >= Number.MAX_SAFE_INTEGER);

/** What a page begins after is almost always the neighbour on that side. Only where that was deleted is the other side looked at. */
const both = async (walk: Walk, query: PageQuery, at: Within): Promise<Page> => {
  const walked = await items(walk, query, at);
  const page = sides(query, walked);
  if (page) return page;
  const { direction, from } = query;
  const behind = direction === 'forward' ? await walk({ $lt: from }, -1, 1, at) : await walk({ $gt: from }, 1, 1, at);
  return sides(query, walked, behind.length > 0) ?? nothing;
};

const isShown = async (owners: Collections[Numbered], id: number, account: string, at: Within): Promise<boolean> => {
  const options = { projection: { account: 1, shown: 1 }, ...at } as const;
  const rows = await owners.find({ _id: { $in: [marker.number, askable(id)] } }, options).toArray();
  if (!rows.some(({ _id }) => _id === marker.number)) throw notThere();
  return rows.some((row) => row._id === id && row.shown && row.account === account);
};

/** @throws ReadModelsUnavailable where the collection is not what it was: what it lacks may well be there */
const confirm = async (documents: Collections[Numbered], options: FindOptions): Promise<void> => {
  if (!(await documents.findOne({ _id: { $eq: marker.number } }, options))) throw notThere();
};

const withTexts = async (pinpoints: Collections['pinpoint'], members: readonly Item[], at: Within): Promise<Item[]> => {
  const ids = members.map(({ id }) => id);
  const options = { projection: { text: 1 }, batchSize: ids.length + 1, ...at } as const;
  const rows = await pinpoints.find({ _id: { $in: ids } }, options).toArray();
  const texts = new Map(rows.map(({ _id, text }) => [_id, text]));
  return ids.map((id) => {
    const text = texts.get(id);
    if (text === undefined) throw new ReadModelsUnavailable(`Member ${id} is shown, but no pinpoint.`);
    return { id, text };
  });
};
