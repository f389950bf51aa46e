import { listsPerPinpointMax, type Membership } from '../read-models.ts';
import { type Collections, type DocumentRow, marker, memberId, queryableId } from './collections.ts';
import { documentOf, noPositionError } from './find.ts';
import { callMs } from './limits.ts';
import type { InTransaction, TransactionContext } from './transactions.ts';

/** The maximum number of ids in one membership request. */
export const membershipIdsMax = 1_000;

/** The maximum number of memberships that one request examines, including those in deleted lists. A pinpoint beyond it counts as full. */
const membershipRowsMax = 200_000;

type Counted = Pick<DocumentRow, '_id' | 'lists'>;

/** Creates the membership query, which runs in one transaction, at one snapshot. */
export const createMembership = (collections: Collections, inTransaction: InTransaction) => {
  const { list: lists, member, pinpoint } = collections;

  const listOf = async (list: number, at: TransactionContext) => {
    const rows = await lists.find({ _id: { $in: [marker.number, queryableId(list)] } }, at).toArray();
    if (!rows.some(({ _id }) => _id === marker.number)) throw noPositionError();
    const row = rows.find(({ _id }) => _id !== marker.number);
    return row && documentOf(row);
  };

  const membersOf = async (list: number, ids: readonly number[], at: TransactionContext): Promise<Set<number>> => {
    const asked = [marker.text, ...ids.map((id) => memberId(id, list))];
    const rows = await member.find({ _id: { $in: asked } }, { projection: { pinpoint: 1 }, batchSize: asked.length + 1, ...at }).toArray();
    const found = new Set(rows.map((row) => row.pinpoint));
    if (!found.delete(marker.number)) throw noPositionError();
    return found;
  };

  const pinpointsOf = async (account: string, ids: readonly number[], at: TransactionContext): Promise<readonly Counted[]> => {
    const asked = [marker.number, ...ids.map(queryableId)];
    const options = { projection: { account: 1, shown: 1, lists: 1 }, batchSize: asked.length + 1, ...at } as const;
    const rows = await pinpoint.find({ _id: { $in: asked } }, options).toArray();
    if (!rows.some(({ _id }) => _id === marker.number)) throw noPositionError();
    return rows.filter((row) => row.shown && row.account === account);
  };

  /** Returns the full pinpoints. For almost all, the counter decides. Only where it shows that a pinpoint may be full are its present lists
   * counted. */
  const fullOf = async (rows: readonly Counted[], at: TransactionContext): Promise<Set<number>> => {
    const full = new Set<number>();
    let looked = 0;
    for (const row of rows) {
      if (row.lists < listsPerPinpointMax) continue;
      looked += row.lists;
      if (looked > membershipRowsMax || (await isFull(row._id, at))) full.add(row._id);
    }
    return full;
  };

  const isFull = async (id: number, at: TransactionContext): Promise<boolean> => {
    const options = { projection: { _id: 0, list: 1 }, batchSize: membershipRowsMax, ...at } as const;
    const memberships = await member.find({ pinpoint: { $eq: id } }, options).toArray();
    const ids = memberships.map(({ list }) => list);
    const some = { projection: { _id: 1 }, limit: listsPerPinpointMax, batchSize: listsPerPinpointMax + 1, ...at } as const;
    const present = await lists.find({ _id: { $in: ids }, present: { $eq: true } }, some).toArray();
    return present.length === listsPerPinpointMax;
  };

  const read = async (list: number, ids: readonly number[], at: TransactionContext): Promise<Membership> => {
    const document = await listOf(list, at);
    const members = await membersOf(list, ids, at);
    const rows = document ? await pinpointsOf(document.account, ids, at) : [];
    return { list: document, members, pinpoints: new Set(rows.map(({ _id }) => _id)), full: await fullOf(rows, at) };
  };

  return async (list: number, ids: readonly number[]): Promise<Membership> => {
    if (ids.length > membershipIdsMax) throw new RangeError(`A membership request may contain at most ${membershipIdsMax} ids.`);
    return inTransaction(callMs, (at) => read(list, ids, at));
  };
};
