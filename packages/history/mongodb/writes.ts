import { inPieces } from '@waymark/read-models/mongodb/pieces.ts';
import type { TransactionContext } from '@waymark/read-models/mongodb/transactions.ts';
import type { HistoryEntry, Values } from '../entries.ts';
import type { HistoryChange } from '../projection/change.ts';
import { type Collections, type EntryRow, type MarkRow, memberId, type RelationRow, type StateRow } from './collections.ts';
import { intervalWrites } from './interval-writes.ts';
import { entryRow, markRow } from './rows.ts';

/** The changes of a batch, collected so that each row is written once. */
export type CollectedWrites = {
  readonly take: (change: HistoryChange) => void;
  /** Writes all changes in a transaction.
   * @param isStored whether a stream had an entry before the batch */
  readonly write: (collections: Collections, isStored: (stream: string) => boolean, at: TransactionContext) => Promise<void>;
};

export const collectedWrites = (): CollectedWrites => {
  const entries: EntryRow[] = [];
  const states = new Map<string, StateRow>();
  const intervals = intervalWrites();
  const members = new Map<string, Member>();
  const relations: RelationRow[] = [];
  const marks = new Map<string, MarkRow>();

  const enter = (entry: HistoryEntry, values: Values | null): void => {
    const row = entryRow(entry, values);
    const { stream, position } = entry;
    entries.push(row);
    states.set(stream, { _id: stream, position, account: row.account, revision: row.revision, present: row.present, origins: row.origins });
  };
  const take = (change: HistoryChange): void => {
    switch (change.type) {
      case 'entered':
        enter(change.entry, change.values);
        return;
      case 'began':
        intervals.begin(change.interval, change.of);
        return;
      case 'ended':
        intervals.end(change.interval);
        return;
      case 'member': {
        const { pinpoint, list, isMember } = change;
        members.set(memberId(pinpoint, list), { pinpoint, list, isMember });
        return;
      }
      case 'related':
        relations.push(change.change);
        return;
      case 'erased':
        marks.set(change.mark.stream, markRow(change.mark));
    }
  };
  return {
    take,
    write: async (collections, isStored, at) => {
      if (entries.length > 0) await collections.entry.insertMany(entries, { ordered: false, ...at });
      await writeStates(collections, [...states.values()], isStored, at);
      await intervals.write(collections, at);
      await writeMembers(collections, members, at);
      if (relations.length > 0) await collections.relation.insertMany(relations.map(copyOf), { ordered: false, ...at });
      await writeMarks(collections, [...marks.values()], at);
    },
  };
};

type Member = { readonly pinpoint: number; readonly list: number; readonly isMember: boolean };

const copyOf = ({ stream, position, other, began }: RelationRow): RelationRow => ({ stream, position, other, began });

const writeStates = async (
  { state }: Collections,
  rows: readonly StateRow[],
  isStored: (stream: string) => boolean,
  at: TransactionContext,
): Promise<void> => {
  const first = rows.filter(({ _id }) => !isStored(_id));
  const next = rows.filter(({ _id }) => isStored(_id));
  if (first.length > 0) await state.insertMany(first, { ordered: false, ...at });
  if (next.length === 0) return;
  const updates = next.map(({ _id, ...fields }) => ({ updateOne: { filter: { _id: { $eq: _id } }, update: { $set: fields } } }));
  await state.bulkWrite(updates, { ordered: false, ...at });
};

/** Writes what each membership is after the batch. A duplicate key would end the whole transaction, so those of the batch are deleted first. */
const writeMembers = async ({ member }: Collections, members: ReadonlyMap<string, Member>, at: TransactionContext): Promise<void> => {
  for (const ids of inPieces([...members.keys()])) await member.deleteMany({ _id: { $in: ids } }, { ...at });
  const added = [...members].flatMap(([_id, { pinpoint, list, isMember }]) => (isMember ? [{ _id, pinpoint, list }] : []));
  if (added.length > 0) await member.insertMany(added, { ordered: false, ...at });
};

const writeMarks = async ({ mark }: Collections, rows: readonly MarkRow[], at: TransactionContext): Promise<void> => {
  if (rows.length === 0) return;
  const puts = rows.map(({ _id, ...replacement }) => ({ replaceOne: { filter: { _id: { $eq: _id } }, replacement, upsert: true } }));
  await mark.bulkWrite(puts, { ordered: false, ...at });
};
