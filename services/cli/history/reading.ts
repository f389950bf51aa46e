import type { ActivityPage, Difference, HistoryPage } from '@waymark/operations/api/answers.ts';
import type { BodyOf } from '@waymark/operations/api/calls.ts';
import type { Operator } from '../client/operator.ts';
import { differingMembersMax, pageItemsMax } from '../limits.ts';

/** The object that a command is about. */
export type HistoryObject = BodyOf<'POST /operator/blame'>;

/** The account, and the filters of its activity. */
export type ActivityFilters = Omit<BodyOf<'POST /operator/activity'>, 'before' | 'limit'>;

/** Yields the pages of an object's history, newest first, with at most a number of entries in total. */
export const historyPages = (operator: Operator, object: HistoryObject, entriesMax: number): AsyncGenerator<HistoryPage> =>
  pagesOf((place) => operator.request('POST /operator/history', { body: { ...object, ...place } }), entriesMax);

/** Yields the pages of an account's activity, newest first, with at most a number of entries in total. */
export const activityPages = (operator: Operator, filters: ActivityFilters, entriesMax: number): AsyncGenerator<ActivityPage> =>
  pagesOf((place) => operator.request('POST /operator/activity', { body: { ...filters, ...place } }), entriesMax);

type Place = { readonly before?: number; readonly limit: number };

async function* pagesOf<Page extends HistoryPage>(read: (place: Place) => Promise<Page>, entriesMax: number): AsyncGenerator<Page> {
  let left = entriesMax;
  for (let before: number | null | undefined; before !== null && left > 0; ) {
    const page: Page = await read({ ...(before === undefined ? {} : { before }), limit: Math.min(left, pageItemsMax) });
    yield page;
    left -= page.results.length;
    before = page.next;
  }
}

/** Reads the difference between two revisions, of a list with all members that differ, up to `differingMembersMax`. */
export const readDifference = async (operator: Operator, object: HistoryObject, from: number, to: number): Promise<Difference> => {
  const read = (beyond: number): Promise<Difference> =>
    operator.request('POST /operator/diff', { body: { ...object, from, to, beyond, limit: pageItemsMax } });
  let difference = await read(0);
  const [added, removed] = [[...(difference.members?.added ?? [])], [...(difference.members?.removed ?? [])]];
  while (typeof difference.next === 'number' && added.length + removed.length < differingMembersMax) {
    difference = await read(difference.next);
    added.push(...(difference.members?.added ?? []));
    removed.push(...(difference.members?.removed ?? []));
  }
  return difference.members === undefined ? difference : { ...difference, members: { added, removed } };
};
