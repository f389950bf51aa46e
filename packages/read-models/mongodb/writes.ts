import { byResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { Change, Counts, ProjectedDocument } from '../projection/change.ts';
import type { ApplicationDocument } from '../read-models.ts';
import { applicationText } from '../stored-application.ts';
import { type Collections, type DocumentRow, memberId } from './collections.ts';
import { memberWrites } from './member-writes.ts';
import { inPieces } from './pieces.ts';
import type { TransactionContext } from './transactions.ts';

/** The changes of a batch, collected so that each row is written once. */
export type CollectedWrites = {
  readonly take: (change: Change) => void;
  /** Writes all changes in a transaction. */
  readonly write: (collections: Collections, at: TransactionContext) => Promise<void>;
};

export const collectedWrites = (): CollectedWrites => {
  const documents = byResourceKind(documentWrites);
  const members = memberWrites();
  const shown = new Map<number, boolean>();
  const applications = new Map<string, ApplicationDocument>();

  const take = (change: Change): void => {
    switch (change.type) {
      case 'put':
        documents[change.kind].put(change.document, change.before);
        if (change.counts) documents[change.kind].count(change.document.id, change.counts);
        return;
      case 'moved':
        documents[change.kind].set(change.id, { revision: change.revision });
        return;
      case 'members-added':
        for (const { pinpoint, shown } of change.members) members.add(pinpoint, change.list, shown);
        return;
      case 'members-removed':
        for (const pinpoint of change.pinpoints) members.remove(pinpoint, change.list);
        return;
      case 'pinpoint-shown':
        shown.set(change.pinpoint, change.shown);
        return;
      case 'counted':
        for (const pinpoint of change.pinpoints) documents.pinpoint.count(pinpoint, change);
        return;
      case 'application-put':
        applications.set(change.document.id, change.document);
    }
  };

  const write = async (collections: Collections, at: TransactionContext): Promise<void> => {
    for (const kind of resourceKinds) {
      const operations = documents[kind].operations();
      // In any order, because no operation concerns the row of another.
      if (operations.length > 0) await collections[kind].bulkWrite(operations, { ordered: false, ...at });
    }
    await members.write(collections.member, at);
    await hide(collections, pinpointsWith(shown, false), at);
    await show(collections, pinpointsWith(shown, true), at);
    await putApplications(collections, [...applications.values()], at);
  };
  return { take, write };
};

type Update = { readonly set: Partial<DocumentRow>; readonly add: Counts };

const documentWrites = () => {
  const inserts = new Map<number, DocumentRow>();
  const updates = new Map<number, Update>();
  const none: Update = { set: {}, add: { lists: 0, happenings: 0 } };

  const set = (id: number, fields: Partial<DocumentRow>): void => {
    const inserted = inserts.get(id);
    if (inserted) {
      inserts.set(id, { ...inserted, ...fields });
      return;
    }
    const update = updates.get(id) ?? none;
    updates.set(id, { ...update, set: { ...update.set, ...fields } });
  };

  return {
    set,
    put: (document: ProjectedDocument, before: ProjectedDocument | undefined): void => {
      if (before) set(document.id, changed(document, before));
      else inserts.set(document.id, rowOf(document));
    },
    count: (id: number, { lists, happenings }: Counts): void => {
      const inserted = inserts.get(id);
      if (inserted) {
        inserts.set(id, { ...inserted, lists: inserted.lists + lists, happenings: inserted.happenings + happenings });
        return;
      }
      const { set: fields, add } = updates.get(id) ?? none;
      updates.set(id, { set: fields, add: { lists: add.lists + lists, happenings: add.happenings + happenings } });
    },
    operations: (): AnyBulkWriteOperation<DocumentRow>[] => [
      ...[...inserts.values()].map((document) => ({ insertOne: { document } })),
      ...[...updates].flatMap(([id, update]) => {
        const change = changes(update);
        // An increase and a decrease by one cancel out.
        return Object.keys(change).length === 0 ? [] : [{ updateOne: { filter: { _id: { $eq: id } }, update: change } }];
      }),
    ],
  };
};

const rowOf = (document: ProjectedDocument): DocumentRow => ({
  _id: document.id,
  account: document.account,
  revision: document.revision,
  shown: document.shown,
  present: document.present,
  text: document.text,
  file: document.file,
  pinpoint: document.pinpoint,
  lists: 0,
  happenings: 0,
});

/** Returns only the changed fields. An edit that changes no indexed field updates no index. */
const changed = (
  { revision, file, text, shown, present, pinpoint }: ProjectedDocument,
  before: ProjectedDocument,
): Partial<DocumentRow> => ({
  revision,
  file,
  text,
  ...(before.shown === shown && before.present === present && before.pinpoint === pinpoint ? {} : { shown, present, pinpoint }),
});

const changes = ({ set, add }: Update) => ({
  ...(Object.keys(set).length > 0 && { $set: set }),
  ...((add.lists !== 0 || add.happenings !== 0) && { $inc: add }),
});

/** Hides the memberships and happenings of pinpoints. Their number is limited for each pinpoint. */
const hide = async ({ member, happening }: Collections, pinpoints: readonly number[], at: TransactionContext): Promise<void> => {
  if (pinpoints.length === 0) return;
  const standing = { pinpoint: { $in: [...pinpoints] }, shown: { $eq: true } };
  await member.updateMany(standing, { $set: { shown: false } }, { ...at });
  await happening.updateMany(standing, { $set: { shown: false } }, { ...at });
};

/** Shows the memberships and the present happenings of pinpoints again, as far as they are of the same account. */
const show = async (
  { pinpoint, list, member, happening }: Collections,
  pinpoints: readonly number[],
  at: TransactionContext,
): Promise<void> => {
  for (const id of pinpoints) {
    const { account } = (await pinpoint.findOne({ _id: { $eq: id } }, { projection: { account: 1 }, ...at })) ?? {};
    if (account === undefined) continue;
    const hidden = { pinpoint: { $eq: id }, shown: { $eq: false } };
    await happening.updateMany({ ...hidden, present: { $eq: true }, account: { $eq: account } }, { $set: { shown: true } }, { ...at });
    const lists = await member.find(hidden, { projection: { list: 1 }, ...at }).toArray();
    for (const piece of inPieces(lists.map((row) => row.list))) {
      const own = await list.find({ _id: { $in: piece }, account: { $eq: account } }, { projection: { _id: 1 }, ...at }).toArray();
      const rows = own.map(({ _id }) => memberId(id, _id));
      await member.updateMany({ _id: { $in: rows } }, { $set: { shown: true } }, { ...at });
    }
  }
};

const pinpointsWith = (shown: ReadonlyMap<number, boolean>, value: boolean): readonly number[] =>
  [...shown].filter(([, isShown]) => isShown === value).map(([pinpoint]) => pinpoint);

const putApplications = async (
  { application }: Collections,
  documents: readonly ApplicationDocument[],
  at: TransactionContext,
): Promise<void> => {
  if (documents.length === 0) return;
  const puts = documents.map((document) => ({
    replaceOne: { filter: { _id: { $eq: document.id } }, replacement: { document: applicationText(document) }, upsert: true },
  }));
  await application.bulkWrite(puts, { ordered: false, ...at });
};
