import type { Collection } from 'mongodb';
import { type MemberRow, memberId } from './collections.ts';
import { inPieces } from './pieces.ts';
import type { TransactionContext } from './transactions.ts';

/** Collects the memberships that a batch adds and removes. The projection adds only those that are not stored, or that the batch has removed:
 * a duplicate key would end the whole transaction. */
export const memberWrites = () => {
  const added = new Map<string, MemberRow>();
  const removed = new Set<string>();

  const add = (pinpoint: number, list: number, shown: boolean): void => {
    const _id = memberId(pinpoint, list);
    added.set(_id, { _id, list, pinpoint, shown });
  };

  const remove = (pinpoint: number, list: number): void => {
    const _id = memberId(pinpoint, list);
    added.delete(_id);
    removed.add(_id);
  };

  const write = async (members: Collection<MemberRow>, at: TransactionContext): Promise<void> => {
    for (const ids of inPieces([...removed])) await members.deleteMany({ _id: { $in: ids } }, { ...at });
    if (added.size > 0) await members.insertMany([...added.values()], { ordered: false, ...at });
  };
  return { add, remove, write };
};
