import type { Filter } from 'mongodb';
import type { HistoryEntry } from '../entries.ts';
import type { Activity, ActivityFilter, ActivityQuery, HistoryReads, LaterActivity, LaterQuery } from '../history.ts';
import { mergedActivity } from '../merged-activity.ts';
import type { EntryRow } from './collections.ts';
import type { Snapshot } from './snapshot.ts';

type ToEntries = (rows: readonly EntryRow[]) => Promise<readonly HistoryEntry[]>;

/** The order of the indexes of accounts and of correlations. */
const newestFirst = { clock: -1, position: -1 } as const;
const oldestFirst = { clock: 1, position: 1 } as const;
const withoutValue = { value: 0 } as const;
/** The condition of the index of correlations in generations that earlier releases began: MongoDB uses it only for a query that states it, too. */
const isText = { $type: 'string' } as const;

/** Creates the reads of an account's entries. */
export const createActivity = (
  snapshot: Snapshot,
  toEntries: ToEntries,
): Pick<HistoryReads, 'activity' | 'laterActivity' | 'entryAt' | 'entryOf'> => {
  const one = async (filter: Filter<EntryRow>): Promise<HistoryEntry | undefined> => {
    const rows = await snapshot.find('entry', filter, { sort: newestFirst, limit: 1, projection: withoutValue });
    return (await toEntries(rows))[0];
  };
  return {
    activity: async (account, query) => {
      const ofAccount = { account: { $eq: account } };
      const { correlation } = query.filter;
      if (correlation === undefined) return part(snapshot, toEntries, ofAccount, {}, query);
      const others = await part(snapshot, toEntries, ofAccount, { chosen: { $eq: correlation, ...isText } }, query);
      // An event that belongs to no operation is its own correlation.
      const own = await part(snapshot, toEntries, ofAccount, { event: { $eq: correlation }, chosen: { $eq: null } }, query);
      return mergedActivity(others, own.entries, query.entries);
    },
    laterActivity: (account, query) => laterPart(snapshot, toEntries, account, query),
    entryAt: (account, timeMs) => one({ account: { $eq: account }, clock: { $lte: timeMs } }),
    entryOf: (event) => one({ event: { $eq: event } }),
  };
};

/** Finds the last of the entries that may be compared, in an index alone, and then compares those. */
const part = async (
  { find }: Snapshot,
  toEntries: ToEntries,
  ofAccount: Filter<EntryRow>,
  source: Filter<EntryRow>,
  { before, sinceMs, untilMs, filter, entries: limit, reads }: ActivityQuery,
): Promise<Activity> => {
  const [at] = await find('entry', { ...ofAccount, position: { $eq: before } }, { projection: { _id: 0, clock: 1 }, limit: 1 });
  const latest = Math.min(at?.clock ?? Number.MAX_SAFE_INTEGER, untilMs ?? Number.MAX_SAFE_INTEGER);
  const range = { ...ofAccount, ...source, clock: { $gte: sinceMs, $lte: latest } };
  const place = { projection: { _id: 0, position: 1 }, sort: newestFirst, skip: reads - 1, limit: 1 };
  const [last] = await find('entry', { ...range, position: { $lt: before } }, place);
  const compared = { ...range, position: { $lt: before, $gte: last?.position ?? 0 }, ...conditionOf(filter) };
  const rows = await find('entry', compared, { sort: newestFirst, limit, batchSize: limit + 1, projection: withoutValue });
  const entries = await toEntries(rows);
  return { entries, next: (entries.length === limit ? entries.at(-1)?.position : last?.position) ?? null };
};

/** Does the same in the other direction. */
const laterPart = async (
  { find }: Snapshot,
  toEntries: ToEntries,
  account: string,
  { after, sinceMs, untilMs, filter, entries: limit, reads }: LaterQuery,
): Promise<LaterActivity> => {
  const ofAccount = { account: { $eq: account } };
  const position = { projection: { _id: 0, position: 1 }, limit: 1 };
  const [newest] = await find('entry', ofAccount, { ...position, sort: newestFirst });
  const head = Math.max(after, newest?.position ?? 0);
  if (head === after) return { entries: [], through: after, isEnd: true };
  const [at] = await find('entry', { ...ofAccount, position: { $eq: after } }, { projection: { _id: 0, clock: 1 }, limit: 1 });
  const clock = { $gte: Math.max(sinceMs, at?.clock ?? 0), $lte: untilMs ?? Number.MAX_SAFE_INTEGER };
  const range = { ...ofAccount, clock };
  const [last] = await find('entry', { ...range, position: { $gt: after } }, { ...position, sort: oldestFirst, skip: reads - 1 });
  const compared = { ...range, position: { $gt: after, $lte: last?.position ?? head }, ...conditionOf(filter), ...correlated(filter) };
  const rows = await find('entry', compared, { sort: oldestFirst, limit, batchSize: limit + 1, projection: withoutValue });
  const entries = await toEntries(rows);
  if (entries.length === limit) return { entries, through: entries.at(-1)?.position ?? after, isEnd: false };
  return { entries, through: last?.position ?? head, isEnd: last === undefined };
};

const correlated = ({ correlation }: ActivityFilter): Filter<EntryRow> =>
  correlation === undefined ? {} : { correlation: { $eq: correlation } };

const conditionOf = ({ stream, streams, actor, types, requests, field, movedMetres }: ActivityFilter): Filter<EntryRow> => ({
  ...(stream === undefined ? {} : { stream: { $eq: stream } }),
  ...(streams === undefined ? {} : { stream: { $gte: streams, $lt: `${streams}\uffff` } }),
  ...(actor === undefined ? {} : { actor: { $eq: actor } }),
  ...(types === undefined ? {} : { type: { $in: [...types] } }),
  ...(requests === undefined ? {} : { request: { $in: [...requests] } }),
  ...(movedMetres === undefined ? {} : { moved: { $gt: movedMetres } }),
  ...(field === undefined ? {} : { fields: { $eq: field } }),
});
