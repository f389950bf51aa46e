import type { Collection } from 'mongodb';
import { type MemberRow, memberId } from './collections.ts';
import { inPieces } from './lookups.ts';
import type { TransactionContext } from './transactions.ts';

/** The result of a batch for a membership. `replacesStored`: any stored row of it is obsolete; otherwise there is none. */
type Fate = { readonly row: MemberRow; readonly gone: boolean; readonly replacesStored: boolean };

/** Collects the final memberships of a batch. */
export const memberWrites = () => {
  const fates = new Map<string, Fate>();

  const add = (pinpoint: number, list: number, shown: boolean): void => {
    const _id = memberId(pinpoint, list);
    const known = fates.get(_id);
    // A repeated member is an error in the event, but it must not stop all events after it.
    if (known && !known.gone) return;
    fates.set(_id, { row: { _id, list, pinpoint, shown }, gone: false, replacesStored: known !== undefined });
  };

  const remove = (pinpoint: number, list: number): void => {
    const _id = memberId(pinpoint, list);
    fates.set(_id, { row: { _id, list, pinpoint, shown: false }, gone: true, replacesStored: true });
  };

  const write = async (members: Collection<MemberRow>, at: TransactionContext): Promise<void> => {
    const all = [...fates.values()];
    await removeRows(
      members,
      all.filter(({ replacesStored }) => replacesStored),
      at,
    );
    const added = all.filter(({ gone }) => !gone).map(({ row }) => row);
    if (added.length > 0) await members.insertMany(added, { ordered: false, ...at });
  };
  return { add, remove, write };
};

const removeRows = async (members: Collection<MemberRow>, fates: readonly Fate[], at: TransactionContext): Promise<void> => {
  for (const ids of inPieces(idsOf(fates))) await members.deleteMany({ _id: { $in: ids } }, { ...at });
};

const idsOf = (fates: readonly Fate[]): string[] => fates.map(({ row }) => row._id);
