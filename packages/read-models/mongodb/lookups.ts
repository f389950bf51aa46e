import { byResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { Collection } from 'mongodb';
import type { Change, Fact, Lookup, MemberRange, PinpointState, ProjectedDocument } from '../projection/change.ts';
import { lookupsFor } from '../projection/needs.ts';
import { type ApplicationDocument, TransactionTooLarge } from '../read-models.ts';
import { parseApplication } from '../stored-application.ts';
import { type Collections, type DocumentRow, type MemberRow, memberId } from './collections.ts';
import { changedCharactersMax, shownTogetherMax } from './limits.ts';
import { inPieces } from './pieces.ts';
import type { TransactionContext } from './transactions.ts';

/** The data that was read for a batch. `note` must be called with every change of members, because they are written only later. */
export type BatchLookups = { readonly lookup: Lookup; readonly note: (change: Change) => void };

/** Reads everything that the projection of a batch will look up, before any event is projected.
 * @throws TransactionTooLarge if several events would write more text than should be in memory, or change more rows than should be in one
 * transaction */
export const readLookups = async (collections: Collections, facts: readonly Fact[], at: TransactionContext): Promise<BatchLookups> => {
  const { documents: ids, places: placeIds, applications: applicationIds, members: ranges, memberships: asked, shown } = needsOf(facts);
  const documents = byResourceKind(() => new Map<number, ProjectedDocument>());
  const places = new Map<number, PinpointState>();
  const applications = new Map<string, ApplicationDocument>();

  let characters = 0;
  let dependents = 0;
  for (const kind of resourceKinds) {
    for (const piece of inPieces([...ids[kind]])) {
      const rows = collections[kind].find({ _id: { $in: piece } }, { batchSize: piece.length + 1, ...at });
      for await (const row of rows) {
        characters += row.text.length;
        if (characters > changedCharactersMax && facts.length > 1) throw new TransactionTooLarge('The documents to change are too large.');
        if (kind === 'pinpoint' && shown.has(row._id)) dependents += row.lists + row.happenings;
        if (dependents > shownTogetherMax && facts.length > 1) throw new TransactionTooLarge('The pinpoints are in too many lists.');
        documents[kind].set(row._id, storedOf(row));
      }
    }
  }
  for (const piece of inPieces([...placeIds].filter((id) => !documents.pinpoint.has(id)))) {
    const options = { projection: { account: 1, present: 1 }, batchSize: piece.length + 1, ...at } as const;
    const rows = await collections.pinpoint.find({ _id: { $in: piece } }, options).toArray();
    for (const { _id, account, present } of rows) places.set(_id, { account, present });
  }
  for (const piece of inPieces([...applicationIds])) {
    const rows = await collections.application.find({ _id: { $in: piece } }, { batchSize: piece.length + 1, ...at }).toArray();
    for (const { _id, document } of rows) applications.set(_id, parseApplication(document));
  }
  const members = await membersOf(collections, ranges, at);
  const memberships = await storedMemberships(collections.member, [...asked], at);
  const lookup: Lookup = {
    document: (kind, id) => documents[kind].get(id),
    place: (id) => documents.pinpoint.get(id) ?? places.get(id),
    application: (id) => applications.get(id),
    isMember: (list, pinpoint) => memberships.has(memberId(pinpoint, list)),
    members: (range) => new Set([...(members.get(range.list) ?? [])].filter((pinpoint) => isWithin(range, pinpoint))),
  };
  const note = (change: Change): void => {
    if (change.type === 'members-added') {
      for (const { pinpoint } of change.members) {
        members.get(change.list)?.add(pinpoint);
        memberships.add(memberId(pinpoint, change.list));
      }
    }
    if (change.type === 'members-removed') {
      for (const pinpoint of change.pinpoints) {
        members.get(change.list)?.delete(pinpoint);
        memberships.delete(memberId(pinpoint, change.list));
      }
    }
  };
  return { lookup, note };
};

const membersOf = async (
  { member }: Collections,
  ranges: readonly MemberRange[],
  at: TransactionContext,
): Promise<ReadonlyMap<number, Set<number>>> => {
  const members = new Map(ranges.map(({ list }) => [list, new Set<number>()]));
  for (const { list, from, to } of ranges) {
    const filter = { list: { $eq: list }, pinpoint: { $gte: from, $lte: to } };
    const rows = member.find(filter, { projection: { _id: 0, pinpoint: 1 }, ...at });
    for await (const { pinpoint } of rows) members.get(list)?.add(pinpoint);
  }
  return members;
};

/** Returns which of the memberships are stored, by the ids of their rows. */
const storedMemberships = async (member: Collection<MemberRow>, ids: readonly string[], at: TransactionContext): Promise<Set<string>> => {
  const found = new Set<string>();
  for (const piece of inPieces(ids)) {
    const rows = await member.find({ _id: { $in: piece } }, { projection: { _id: 1 }, batchSize: piece.length + 1, ...at }).toArray();
    for (const { _id } of rows) found.add(_id);
  }
  return found;
};

const isWithin = ({ from, to }: MemberRange, pinpoint: number): boolean => pinpoint >= from && pinpoint <= to;

const needsOf = (facts: readonly Fact[]) => {
  const documents = byResourceKind(() => new Set<number>());
  const places = new Set<number>();
  const applications = new Set<string>();
  const members: MemberRange[] = [];
  const memberships = new Set<string>();
  /** The pinpoints that may be deleted or restored. */
  const shown = new Set<number>();
  for (const fact of facts) {
    const named = lookupsFor(fact);
    for (const { kind, id } of named.documents) {
      documents[kind].add(id);
      if (kind === 'pinpoint' && fact.event?.type !== 'PinpointEdited') shown.add(id);
    }
    for (const id of named.places) places.add(id);
    for (const id of named.applications) applications.add(id);
    members.push(...named.members);
    for (const { list, pinpoints } of named.memberships) for (const pinpoint of pinpoints) memberships.add(memberId(pinpoint, list));
  }
  return { documents, places, applications, members, memberships, shown };
};

const storedOf = ({ _id, lists: _, happenings: __, ...row }: DocumentRow): ProjectedDocument => ({ id: _id, ...row });
