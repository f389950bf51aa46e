import { type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { Collection, Db, IndexDescription } from 'mongodb';
import { ReadModelsUnavailable } from '../read-models.ts';
import { orUnavailable, timeoutOptions } from './client.ts';
import { callMs, schemaMs } from './limits.ts';
import type { InTransaction } from './transactions.ts';

// Stored: never rename a field of these rows. `read-models.ts` says what those of a document mean.

/** Texts, flags and numbers up to 2^53 only: nothing that BSON would change. */
export type DocumentRow = {
  readonly _id: number;
  readonly account: string;
  readonly revision: number;
  readonly shown: boolean;
  readonly present: boolean;
  readonly text: string;
  readonly file: string | null;
  /** Of a happening: where it takes place. */
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

/** A row of each collection that is no document: written with the first position, and gone once somebody drops the collection. Where it is
 * missing nothing may be called deleted or empty. */
export const marker = { number: 0, text: '' } as const;

/** An id that can be asked for; what is none, whatever its type says, asks for the marker alone and so for nothing. */
export const askable = (id: number): number => (Number.isSafeInteger(id) ? id : marker.number);

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

/** What is shown of one owner, in the order of ids: pages read a range of one of these, and nothing beside it. */
export const pageIndexes = {
  ofAccount: { name: 'of_account', key: { account: 1, shown: 1, _id: 1 } },
  ofPinpoint: { name: 'of_pinpoint', key: { pinpoint: 1, shown: 1, _id: 1 } },
  ofList: { name: 'of_list', key: { list: 1, shown: 1, pinpoint: 1 } },
} as const satisfies Record<string, IndexDescription>;

/** Memberships of a pinpoint, for what its deletion hides, and for its lists. */
export const listsOfPinpoint = { name: 'lists_of', key: { pinpoint: 1, list: 1 } } as const satisfies IndexDescription;

const { ofAccount, ofPinpoint, ofList } = pageIndexes;
const indexes: Record<ResourceKind | 'member', IndexDescription[]> = {
  pinpoint: [ofAccount],
  list: [ofAccount],
  category: [ofAccount],
  happening: [ofAccount, ofPinpoint],
  member: [ofList, listsOfPinpoint],
};

export const collectionsOf = (db: Db, generation: string): Collections => ({
  pinpoint: db.collection(`${generation}.pinpoint`),
  list: db.collection(`${generation}.list`),
  category: db.collection(`${generation}.category`),
  happening: db.collection(`${generation}.happening`),
  member: db.collection(`${generation}.member`),
  application: db.collection(`${generation}.application`),
  position: db.collection(`${generation}.position`),
});

/** Makes what is missing of them. Also done by others at the same time. @throws ReadModelsUnavailable */
export const prepareCollections = (collections: Collections): Promise<void> =>
  orUnavailable(async () => {
    for (const name of [...resourceKinds, 'member'] as const)
      await collections[name].createIndexes(indexes[name], { ...timeoutOptions(schemaMs) });
  });

/** Positions go first, and not by a drop: a drop in the midst of somebody's transaction would be in its way, or never end.
 * @throws ReadModelsUnavailable */
export const dropCollections = async (collections: Collections, inTransaction: InTransaction): Promise<void> => {
  const { position, member, application, ...documents } = collections;
  await soonerOrLater(() => inTransaction(callMs, (at) => position.deleteMany({}, { ...at })));
  await orUnavailable(async () => {
    for (const collection of [position, member, application, ...Object.values(documents)])
      await collection.drop({ ...timeoutOptions(schemaMs) });
  });
};

/** Whoever still feeds it has no pause to speak of between two transactions: it takes some luck to come between them. */
const soonerOrLater = async (take: () => Promise<unknown>): Promise<void> => {
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
