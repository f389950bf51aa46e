import type { Scope, Secret } from '@waymark/domain/application/events.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import { Unavailable } from '@waymark/domain/unavailable.ts';

/** A numbered object in the form that readers get. */
export type Document = {
  readonly id: number;
  readonly account: string;
  /** The revision of the object's stream that the document reflects. */
  readonly revision: number;
  /** False once the object, or the pinpoint that it belongs to, is deleted. Readers do not see it then. */
  readonly shown: boolean;
  /** False once the object itself is deleted. */
  readonly present: boolean;
  /** The representation, in which file URLs are still incomplete (`views/files.ts`); empty when the object is deleted. */
  readonly text: string;
  /** The stored file as JSON text (`StoredFile`), or null. */
  readonly file: string | null;
  /** Of a pinpoint: the number of its lists, deleted ones included, and the number of its present happenings. Otherwise 0. */
  readonly lists: number;
  readonly happenings: number;
};

export type ApplicationDocument = {
  readonly id: string;
  readonly account: string;
  readonly revision: number;
  readonly status: 'active' | 'suspended' | 'deleted';
  /** The revision of the last suspension; -1 if there was none. */
  readonly suspended: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly secrets: readonly Secret[];
};

/** The data that a membership request needs, all of it at one position. */
export type Membership = {
  readonly list: Document | undefined;
  /** The requested ids that are members by the list's own events, whether their pinpoints are present or not. */
  readonly members: ReadonlySet<number>;
  /** The requested ids that are shown pinpoints of the list's account. */
  readonly pinpoints: ReadonlySet<number>;
  /** The pinpoints among them that are in `listsPerPinpointMax` present lists. */
  readonly full: ReadonlySet<number>;
};

/** The position of a partition of the read models: all events of the log up to `position` are applied. */
export type ReadPosition = {
  /** The incarnation of the log that they were made from. */
  readonly incarnation: string;
  readonly position: number;
  /** The id of the last applied event; empty before the first. */
  readonly event: string;
};

/** The read models are unavailable, or not complete yet. */
export class ReadModelsUnavailable extends Unavailable {}

/** A transaction writes more than the store can hold at once. A smaller one may succeed. */
export class TransactionTooLarge extends ReadModelsUnavailable {}

/** The read models are another installation's. The message is for operators. */
export class ForeignReadModels extends ReadModelsUnavailable {}

/** Documents computed from the log, and their position: always an exact prefix of the log. */
export type ReadModels = {
  /** Returns a document, also of a deleted object.
   * @throws ReadModelsUnavailable */
  readonly find: (kind: ResourceKind, id: number) => Promise<Document | undefined>;
  /** @throws ReadModelsUnavailable */
  readonly page: (query: PageQuery) => Promise<Page>;
  /** @throws ReadModelsUnavailable */
  readonly membership: (list: number, pinpoints: readonly number[]) => Promise<Membership>;
  /** Returns an application, also a deleted one.
   * @throws ReadModelsUnavailable */
  readonly application: (id: string) => Promise<ApplicationDocument | undefined>;
  /** Returns all applications after an id, in the order of their ids, deleted ones included.
   * @throws ReadModelsUnavailable */
  readonly applications: (after: string, limit: number) => Promise<readonly ApplicationDocument[]>;
  /** Returns the position of a partition.
   * @throws ReadModelsUnavailable where nothing was applied yet; then all other reads throw it, too */
  readonly position: (partition: number) => Promise<ReadPosition>;
  /** Applies the events between two positions and moves the position, in one transaction, if the position is still `after` in the same log.
   * Before the first application `after` is 0; an empty batch from 0 to 0 initializes the read models for an empty log. Events of
   * housekeeping streams are ignored. Returns false if the position was another one, and then changes nothing.
   * @throws NewerEvent, ReadModelsUnavailable */
  readonly apply: (partition: number, after: number, events: readonly RecordedEvent[], to: ReadPosition) => Promise<boolean>;
};

export const listsPerPinpointMax = 1_000;
export const happeningsPerPinpointMax = 10_000;
