import { orUnavailable, timeoutOptions } from '@waymark/read-models/mongodb/client.ts';
import { dropCollections, type PositionRow } from '@waymark/read-models/mongodb/collections.ts';
import { schemaMs } from '@waymark/read-models/mongodb/limits.ts';
import type { Namespace } from '@waymark/read-models/mongodb/namespace.ts';
import type { InTransaction, TransactionContext } from '@waymark/read-models/mongodb/transactions.ts';
import type { Collection, IndexDescription } from 'mongodb';
import type { Span } from '../spans.ts';

// Stored: never rename a field of these rows. `entries.ts` explains most of them. Only strings, lists of strings, flags and numbers up to 2^53,
// which BSON does not change.

/** `_id`: the stream and the revision, which most reads ask for. `origins` and `value`: JSON texts. */
export type EntryRow = {
  readonly _id: string;
  readonly position: number;
  readonly account: string;
  readonly stream: string;
  readonly revision: number;
  readonly clock: number;
  readonly present: boolean;
  readonly moved: number | null;
  readonly origins: string;
  /** The names of the fields that the event set. */
  readonly fields: readonly string[];
  readonly event: string;
  readonly type: string;
  readonly time: string;
  readonly actor: string;
  readonly request: string | null;
  readonly correlation: string;
  /** The correlation, if a client chose it; otherwise an event is its own correlation. */
  readonly chosen: string | null;
  readonly cause: string | null;
  readonly value: string | null;
};

/** The id of the rows that say nothing about the log: see `writeMarkers`. */
export const markerId = '';

export const entryId = (stream: string, revision: number): string => `${stream} ${revision}`;

/** The state of an object after its last entry. `_id`: the stream. `position`: that of the entry. */
export type StateRow = Pick<EntryRow, 'account' | 'revision' | 'present' | 'origins'> & {
  readonly _id: string;
  readonly position: number;
};

/** `of`: the stream of the item, if the set is that of another object. */
export type IntervalRow = {
  readonly within: string;
  readonly item: number;
  readonly since: number;
  readonly until: number;
  readonly of: string | null;
};

/** `until` of an interval that goes on. */
export const goesOn = Number.MAX_SAFE_INTEGER;

/** `within`: the set. */
export type SpanRow = Pick<Span, 'size' | 'block' | 'since' | 'until' | 'open'> & { readonly within: string };

export type MemberRow = { readonly _id: string; readonly pinpoint: number; readonly list: number };

export const memberId = (pinpoint: number, list: number): string => `${pinpoint}-${list}`;

export type RelationRow = { readonly stream: string; readonly position: number; readonly other: string; readonly began: boolean };

/** `_id`: the stream. `clean`: whether nothing of the erased content is left. */
export type MarkRow = {
  readonly _id: string;
  readonly before: number;
  readonly first: number;
  readonly revision: number;
  readonly position: number;
  readonly clean: boolean;
};

/** The rows of the collections that readers use. */
export type ReadRows = {
  readonly entry: EntryRow;
  readonly state: StateRow;
  readonly interval: IntervalRow;
  readonly span: SpanRow;
  readonly relation: RelationRow;
  readonly mark: MarkRow;
};

export type Read = keyof ReadRows;

export type ReadCollections = { readonly [Name in Read]: Collection<ReadRows[Name]> };

export type Collections = ReadCollections & {
  readonly member: Collection<MemberRow>;
  readonly position: Collection<PositionRow>;
};

/** The names of the collections of a generation. */
export const historyKinds: readonly (keyof Collections)[] = [
  'entry',
  'state',
  'interval',
  'span',
  'member',
  'relation',
  'mark',
  'position',
];

/** Returns the collections of a generation, in the order in which they are dropped: see `Snapshot.check`. */
export const historyCollections = ({ collection }: Namespace, generation: string): Collections => ({
  entry: collection(`${generation}.entry`),
  state: collection(`${generation}.state`),
  interval: collection(`${generation}.interval`),
  span: collection(`${generation}.span`),
  member: collection(`${generation}.member`),
  relation: collection(`${generation}.relation`),
  mark: collection(`${generation}.mark`),
  position: collection(`${generation}.position`),
});

/** The condition of partial indexes: any string. MongoDB uses such an index for a query that a field equals a string. With `$type: 'string'` as the
 * condition it would not. */
const anyText = { $gt: '' } as const;

const indexes = {
  entry: [
    { name: 'of_position', key: { position: 1 }, unique: true },
    { name: 'of_stream', key: { stream: 1, position: 1 } },
    { name: 'of_account', key: { account: 1, clock: 1, position: 1 } },
    { name: 'of_event', key: { event: 1 } },
    { name: 'of_chosen', key: { chosen: 1, account: 1, clock: 1, position: 1 }, partialFilterExpression: { chosen: anyText } },
  ],
  interval: [
    { name: 'of_set', key: { within: 1, item: 1, since: -1 }, unique: true },
    { name: 'of_item_stream', key: { of: 1, within: 1, since: -1 }, partialFilterExpression: { of: anyText } },
    // The intervals of an item that go on, to end them.
    { name: 'of_end', key: { item: 1, until: 1, within: 1 } },
  ],
  span: [{ name: 'of_block', key: { within: 1, size: 1, block: 1 }, unique: true }],
  member: [
    { name: 'lists_of', key: { pinpoint: 1, list: 1 } },
    { name: 'of_list', key: { list: 1, pinpoint: 1 } },
  ],
  relation: [{ name: 'of_stream', key: { stream: 1, position: -1 }, unique: true }],
  mark: [{ name: 'unclean', key: { clean: 1, _id: 1 } }],
} satisfies Partial<Record<keyof Collections, IndexDescription[]>>;

/** Creates the missing collections and indexes. Other processes may do so at the same time.
 * @throws ReadModelsUnavailable */
export const prepareHistory = (collections: Collections): Promise<void> =>
  orUnavailable(async () => {
    for (const name of ['entry', 'interval', 'span', 'member', 'relation', 'mark'] as const)
      await collections[name].createIndexes(indexes[name], { ...timeoutOptions(schemaMs) });
  });

/** @throws ReadModelsUnavailable */
export const dropHistory = (collections: Collections, inTransaction: InTransaction): Promise<void> =>
  dropCollections(collections, inTransaction);

/** Writes a row into each collection that says nothing about the log. Without it the collection was dropped, and nothing may be reported as
 * missing. */
export const writeMarkers = async (collections: Collections, at: TransactionContext): Promise<void> => {
  const { entry, state, interval, span, relation, mark } = collections;
  const none = { account: '', revision: 0, present: false, origins: '{}' };
  const noEvent = { event: '', type: '', time: '', actor: '', request: null, correlation: '', chosen: null, cause: null, value: null };
  const noChange = { clock: 0, moved: null, fields: [] };
  await entry.insertOne({ _id: '', position: 0, stream: '', ...none, ...noEvent, ...noChange }, { ...at });
  await state.insertOne({ _id: '', position: 0, ...none }, { ...at });
  await interval.insertOne({ within: '', item: 0, since: 0, until: 0, of: null }, { ...at });
  await span.insertOne({ within: '', size: 0, block: 0, since: 0, until: 0, open: 0 }, { ...at });
  await relation.insertOne({ stream: '', position: 0, other: '', began: false }, { ...at });
  await mark.insertOne({ _id: '', before: 0, first: 0, revision: 0, position: 0, clean: true }, { ...at });
};

/** Returns whether the collection of the entries exists, with what was written to it. It is dropped before all others that readers use. */
export const hasMarker = async ({ entry }: Collections, at: TransactionContext): Promise<boolean> =>
  (await entry.findOne({ _id: { $eq: markerId } }, { projection: { _id: 1 }, ...at })) !== null;
