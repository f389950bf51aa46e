import { resourceStream } from '@waymark/domain/streams.ts';
import { createPageSize } from '@waymark/read-models/page-size.ts';
import type { HistoryEntry } from '../../entries.ts';
import type { HistoryReads } from '../../history.ts';
import { membersOf, ownerOf } from '../../sets.ts';
import { isTime, momentOf } from '../moment.ts';
import { refusalOf } from '../owner.ts';
import { presenceOf } from '../presence.ts';
import type { ChangePlace, ChangesQuestion, Moment, Reply } from '../questions.ts';
import { type ChangedPart, type Compared, isAfter } from './changed.ts';
import { walkEntries } from './entry-walk.ts';
import { type ChangesLimits, changesLimits } from './limits.ts';
import { linesOf } from './line.ts';
import { type ComparedMembers, fewChangedMembers, memberSearch } from './members.ts';
import { objectSearch } from './objects.ts';

/** Returns a page of the objects of an account, or of the members of a list, that differ between two moments. */
export const changes = async (reads: HistoryReads, question: ChangesQuestion, limits: ChangesLimits = changesLimits): Promise<Reply> => {
  const { account, base, list, limit } = question;
  const refusal = list === null ? undefined : await refusalOf(reads, account, resourceStream('list', list));
  if (refusal) return refusal;
  const moments = await momentsOf(reads, question);
  if ('outcome' in moments) return moments;
  const { from, to } = moments;
  const compared = { account, from: from.position, to: to.position };
  // A list's members of a time before its erasure are not known any more.
  const mark = list === null ? undefined : await reads.erased(membersOf(list));
  if (mark && from.position < mark.position) return { outcome: 'erased' };
  const after = question.after ?? { position: to.position, id: 0 };
  const part =
    from.position === to.position ? { changed: [], next: null } : await partAfter(reads, compared, list, { after, limit }, limits);
  return { outcome: 'changes-page', ...(await pageOf(reads, compared, part, base)), from, to };
};

/** Returns the two moments, the first one not after the second one. */
const momentsOf = async (
  reads: HistoryReads,
  { account, from, to }: ChangesQuestion,
): Promise<{ readonly from: Moment; readonly to: Moment } | Reply> => {
  const moment = async (of: 'from' | 'to', text: string | Moment): Promise<Moment | Reply> => {
    const found = typeof text === 'string' ? await momentOf(reads, account, text) : text;
    if (!('outcome' in found)) return found;
    return found.outcome === 'invalid-moment' || found.outcome === 'future-moment' ? { outcome: found.outcome, of } : found;
  };
  const [first, second] = [await moment('from', from), await moment('to', to)];
  if ('outcome' in first) return first;
  if ('outcome' in second) return second;
  const areTimes = typeof from === 'string' && typeof to === 'string' && isTime(from) && isTime(to);
  if (first.position > second.position || (areTimes && from > to)) return { outcome: 'reversed-moments' };
  return { from: first, to: second };
};

type Page = { readonly after: ChangePlace; readonly limit: number };

const partAfter = async (
  reads: HistoryReads,
  compared: Compared,
  list: number | null,
  { after, limit }: Page,
  limits: ChangesLimits,
): Promise<ChangedPart> => {
  if (list !== null) return partOfList(reads, compared, list, { after, limit }, limits);
  const together = Math.min(limit + 1, limits.together);
  return walkEntries(reads, objectSearch(reads, compared), { after, together }, limit, limits);
};

/** Returns the members of a list that differ. Where few of the account's entries are left, it searches them; otherwise it compares the members,
 * if they are few. Both find the same. A list that was deleted by then is found itself. */
const partOfList = async (reads: HistoryReads, range: Compared, list: number, page: Page, limits: ChangesLimits): Promise<ChangedPart> => {
  const { account, from, to } = range;
  const stream = resourceStream('list', list);
  const last = (await reads.lastEntries([stream], to)).get(stream);
  if (last === undefined) return { changed: [], next: null };
  if (!last.present) return deletedList(reads, range, last, page);
  const [was, is] = await Promise.all([from, to].map((at) => presenceOf(reads, { account, at }, 'list', list)));
  const compared: ComparedMembers = { ...range, set: membersOf(list), was, is };
  const search = memberSearch(reads, compared);
  const { after, limit } = page;
  const { together, membersMax } = limits;
  const near = await walkEntries(reads, search, { after, together }, limit, { together, readsMax: 1 });
  if (near.next === null || near.changed.length === limit) return near;
  const few = await fewChangedMembers(reads, compared, { after, limit, membersMax });
  if (few) return few;
  const rest = await walkEntries(reads, search, { after: near.next, together }, limit - near.changed.length, limits);
  return { changed: [...near.changed, ...rest.changed], next: rest.next };
};

const deletedList = async (
  reads: HistoryReads,
  compared: Compared,
  { stream, position }: HistoryEntry,
  { after }: Page,
): Promise<ChangedPart> => {
  const place = { position, id: ownerOf(stream) };
  const candidates = isAfter(place, after) ? [{ stream, place }] : [];
  return { changed: await objectSearch(reads, compared).differing(candidates), next: null };
};

/** Returns the texts of a page. As every page it ends before the first one that would make it too large. */
const pageOf = async (reads: HistoryReads, compared: Compared, { changed, next }: ChangedPart, base: string) => {
  const size = createPageSize();
  const items: string[] = [];
  let last: ChangePlace | null = null;
  for (const { place, line } of await linesOf(reads, compared, changed, base)) {
    const text = JSON.stringify(line);
    if (!size.fits(text)) return { items, next: last };
    items.push(text);
    last = place;
  }
  return { items, next };
};
