import { byResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { Change, Fact, Lookup, PinpointState, ProjectedDocument } from '../projection/change.ts';
import { lookupsFor } from '../projection/needs.ts';
import type { ApplicationDocument } from '../read-models.ts';
import { parseApplication } from '../stored-application.ts';
import type { Collections, DocumentRow } from './collections.ts';
import { idsPerQuestionMax } from './limits.ts';
import type { TransactionContext } from './transactions.ts';

/** The data that was read for a batch. `note` must be called with every change of members, because they are written only later. */
export type BatchLookups = { readonly lookup: Lookup; readonly note: (change: Change) => void };

/** Reads everything that the projection of a batch will look up, before any event is projected. */
export const readLookups = async (collections: Collections, facts: readonly Fact[], at: TransactionContext): Promise<BatchLookups> => {
  const { documents: ids, places: placeIds, applications: applicationIds, members: lists } = needsOf(facts);
  const documents = byResourceKind(() => new Map<number, ProjectedDocument>());
  const places = new Map<number, PinpointState>();
  const applications = new Map<string, ApplicationDocument>();

  for (const kind of resourceKinds) {
    for (const piece of inPieces([...ids[kind]])) {
      const rows = await collections[kind].find({ _id: { $in: piece } }, { batchSize: piece.length + 1, ...at }).toArray();
      for (const row of rows) documents[kind].set(row._id, storedOf(row));
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
  const members = await membersOf(collections, lists, at);
  const lookup: Lookup = {
    document: (kind, id) => documents[kind].get(id),
    place: (id) => documents.pinpoint.get(id) ?? places.get(id),
    application: (id) => applications.get(id),
    members: (list) => members.get(list) ?? new Set(),
  };
  const note = (change: Change): void => {
    if (change.type === 'members-added') for (const { pinpoint } of change.members) members.get(change.list)?.add(pinpoint);
    if (change.type === 'members-removed') for (const pinpoint of change.pinpoints) members.get(change.list)?.delete(pinpoint);
  };
  return { lookup, note };
};

const membersOf = async (
  { member }: Collections,
  lists: ReadonlySet<number>,
  at: TransactionContext,
): Promise<ReadonlyMap<number, Set<number>>> => {
  const members = new Map([...lists].map((list) => [list, new Set<number>()]));
  for (const piece of inPieces([...lists])) {
    const rows = member.find({ list: { $in: piece } }, { projection: { _id: 0, list: 1, pinpoint: 1 }, ...at });
    for await (const { list, pinpoint } of rows) members.get(list)?.add(pinpoint);
  }
  return members;
};

const needsOf = (facts: readonly Fact[]) => {
  const documents = byResourceKind(() => new Set<number>());
  const places = new Set<number>();
  const applications = new Set<string>();
  const members = new Set<number>();
  for (const fact of facts) {
    const named = lookupsFor(fact);
    for (const { kind, id } of named.documents) documents[kind].add(id);
    for (const id of named.places) places.add(id);
    for (const id of named.applications) applications.add(id);
    for (const id of named.members) members.add(id);
  }
  return { documents, places, applications, members };
};

const storedOf = ({ _id, lists: _, happenings: __, ...row }: DocumentRow): ProjectedDocument => ({ id: _id, ...row });

/** Splits items into pieces that fit into one query. */
export const inPieces = <Item>(items: readonly Item[]): Item[][] => {
  const pieces: Item[][] = [];
  for (let start = 0; start < items.length; start += idsPerQuestionMax) pieces.push(items.slice(start, start + idsPerQuestionMax));
  return pieces;
};
