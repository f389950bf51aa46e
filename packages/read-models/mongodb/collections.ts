import { byResourceKind, type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { Collection, Db, IndexDescription } from 'mongodb';
import { ReadModelsUnavailable } from '../read-models.ts';
import { orUnavailable, timeoutOptions } from './client.ts';
import { callMs, schemaMs } from './limits.ts';
import type { InTransaction } from './transactions.ts';

// Stored: never rename a field of these rows. `read-models.ts` explains the fields of a document.

/** Only strings, flags and numbers up to 2^53, which BSON does not change. */
export type DocumentRow = {
  readonly _id: number;
  readonly account: string;
  readonly revision: number;
  readonly shown: boolean;
  readonly present: boolean;
  readonly text: string;
  readonly file: string | null;
  /** Of a happening: the pinpoint where it takes place. */
  readonly pinpoint: number | null;
  readonly lists: number;
  readonly happenings: number;
};

export type MemberRow = { readonly _id: string; readonly list: number; readonly pinpoint: number; readonly shown: boolean };

/** `document`: `ApplicationDocument` as JSON text. */
export type ApplicationRow = { readonly _id: string; readonly document: string };

/** `_id`: the partition. */
export type PositionRow = { readonly _id: number; readonly incarnation: string; readonly position: number; readonly event: string };

export type Collections = Readonly<Record<ResourceKind, Collection<DocumentRow>>> & {
  readonly member: Collection<MemberRow>;
  readonly application: Collection<ApplicationRow>;
  readonly position: Collection<PositionRow>;
};

export const memberId = (pinpoint: number, list: number): string => `${pinpoint}-${list}`;

/** A row in each collection that is not a document. It is written with the first position, and is missing once the collection was dropped.
 * Without it, nothing may be reported as deleted or empty. */
export const marker = { number: 0, text: '' } as const;

/** Returns an id for a query. A value that is not an id, whatever its type claims, becomes the marker's id and so finds nothing. */
export const queryableId = (id: number): number => (Number.isSafeInteger(id) ? id : marker.number);

export const documentMarker: DocumentRow = {
  _id: marker.number,
  account: '',
  revision: 0,
  shown: false,
  present: false,
  pinpoint: null,
  lists: 0,
  happenings: 0,
  file: null,
  text: '',
};
export const memberMarker: MemberRow = { _id: marker.text, list: marker.number, pinpoint: marker.number, shown: false };
export const applicationMarker: ApplicationRow = { _id: marker.text, document: '' };

/** The indexes of the shown items of one owner, in the order of their ids. A page reads a range of one of them and nothing else. */
export const pageIndexes = {
  ofAccount: { name: 'of_account', key: { account: 1, shown: 1, _id: 1 } },
  ofPinpoint: { name: 'of_pinpoint', key: { pinpoint: 1, shown: 1, _id: 1 } },
  ofList: { name: 'of_list', key: { list: 1, shown: 1, pinpoint: 1 } },
} as const satisfies Record<string, IndexDescription>;

/** The index of the memberships of a pinpoint, which its deletion hides, and of its lists. */
export const listsOfPinpoint = { name: 'lists_of', key: { pinpoint: 1, list: 1 } } as const satisfies IndexDescription;

const { ofAccount, ofPinpoint, ofList } = pageIndexes;
const indexes: Record<ResourceKind | 'member', IndexDescription[]> = {
  pinpoint: [ofAccount],
  list: [ofAccount],
  category: [ofAccount],
  happening: [ofAccount, ofPinpoint],
  member: [ofList, listsOfPinpoint],
};

/** The names of the collections of a generation. */
export const collectionKinds: readonly string[] = [...resourceKinds, 'member', 'application', 'position'];

export const collectionsOf = (db: Db, generation: string): Collections => ({
  ...byResourceKind((kind) => db.collection<DocumentRow>(`${generation}.${kind}`)),
  member: db.collection(`${generation}.member`),
  application: db.collection(`${generation}.application`),
  position: db.collection(`${generation}.position`),
});

/** Creates the missing collections and indexes. Other processes may do so at the same time.
 * @throws ReadModelsUnavailable */
export const prepareCollections = (collections: Collections): Promise<void> =>
  orUnavailable(async () => {
    for (const name of [...resourceKinds, 'member'] as const)
      await collections[name].createIndexes(indexes[name], { ...timeoutOptions(schemaMs) });
  });

/** The collections of a generation, whatever they hold. */
export type DroppableCollections = { readonly position: Collection<PositionRow> } & Readonly<
  Record<string, Pick<Collection<PositionRow>, 'drop'>>
>;

/** Drops all collections. The positions are deleted first, in a transaction: a drop during the transaction of another process would
 * conflict with it, or never end.
 * @throws ReadModelsUnavailable */
export const dropCollections = async (collections: DroppableCollections, inTransaction: InTransaction): Promise<void> => {
  const { position, ...others } = collections;
  await retryUntilDeadline(() => inTransaction(callMs, (at) => position.deleteMany({}, { ...at })));
  await orUnavailable(async () => {
    for (const collection of [position, ...Object.values(others)]) await collection.drop({ ...timeoutOptions(schemaMs) });
  });
};

/** Repeats a call until it succeeds or `schemaMs` have passed. A process that still feeds the generation hardly pauses between two
 * transactions, so several attempts may conflict. */
const retryUntilDeadline = async (take: () => Promise<unknown>): Promise<void> => {
  const end = performance.now() + schemaMs;
  for (;;) {
    try {
      await take();
      return;
    } catch (error) {
      if (!(error instanceof ReadModelsUnavailable) || performance.now() > end) throw error;
    }
  }
};
