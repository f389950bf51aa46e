import type { Scope, Secret } from '@waymark/domain/application/events.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import { Unavailable } from '@waymark/domain/unavailable.ts';

/** A numbered object as its readers get it. */
export type Document = {
  readonly id: number;
  readonly account: string;
  /** Revision of the object's stream that it stands at. */
  readonly revision: number;
  /** False once it, or what it stands on, is deleted: no reader sees it then. */
  readonly shown: boolean;
  /** False once it is deleted itself. */
  readonly present: boolean;
  /** The answer as JSON text, with file URLs still to be completed (`views/files.ts`); empty when deleted. */
  readonly text: string;
  /** The stored file as JSON text (`StoredFile`), or null. */
  readonly file: string | null;
  /** Pinpoints: in how many lists, deleted ones included, and of how many present happenings. Else 0. */
  readonly lists: number;
  readonly happenings: number;
};

export type ApplicationDocument = {
  readonly id: string;
  readonly account: string;
  readonly revision: number;
  readonly status: 'active' | 'suspended' | 'deleted';
  /** Revision of the last suspension; -1 if there was none. */
  readonly suspended: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly secrets: readonly Secret[];
};

/** What a membership request must know, all of it at one position. */
export type Membership = {
  readonly list: Document | undefined;
  /** Those of the ids asked for that are members by the list's own events, whether their pinpoints still live or not. */
  readonly members: ReadonlySet<number>;
  /** Those of the ids asked for that are shown pinpoints of the list's account. */
  readonly pinpoints: ReadonlySet<number>;
  /** Those of them that are in `listsPerPinpointMax` lists that are not deleted. */
  readonly full: ReadonlySet<number>;
};

/** Where a partition of the read side stands: after every event of the log up to `position`. */
export type ReadPosition = {
  /** Of the log that it was made from. */
  readonly incarnation: string;
  readonly position: number;
  /** Id of the last event applied; empty before the first. */
  readonly event: string;
};

/** The read side is away, or not complete yet. */
export class ReadModelsUnavailable extends Unavailable {}

/** The read side is another installation's. The message is for operators. */
export class ForeignReadModels extends ReadModelsUnavailable {}

/** Documents made from the log, and the position that they stand at: always an exact prefix of the log. */
export type ReadModels = {
  /** Also finds what is deleted. @throws ReadModelsUnavailable */
  readonly find: (kind: ResourceKind, id: number) => Promise<Document | undefined>;
  /** @throws ReadModelsUnavailable */
  readonly page: (query: PageQuery) => Promise<Page>;
  /** @throws ReadModelsUnavailable */
  readonly membership: (list: number, pinpoints: readonly number[]) => Promise<Membership>;
  /** Also finds what is deleted. @throws ReadModelsUnavailable */
  readonly application: (id: string) => Promise<ApplicationDocument | undefined>;
  /** All applications after an id, in the order of their ids, deleted ones included. @throws ReadModelsUnavailable */
  readonly applications: (after: string, limit: number) => Promise<readonly ApplicationDocument[]>;
  /** @throws ReadModelsUnavailable where nothing was applied yet; then nothing else is read either. */
  readonly position: (partition: number) => Promise<ReadPosition>;
  /** Applies the events that lie between two positions and moves the position, in one transaction, if it still is `after`
   * in the same log. Where nothing was applied yet `after` is 0; no events, from 0 to 0, begin at an empty log. Events of housekeeping
   * streams are passed over. False: it was not, and nothing is changed. @throws NewerEvent, ReadModelsUnavailable */
  readonly apply: (partition: number, after: number, events: readonly RecordedEvent[], to: ReadPosition) => Promise<boolean>;
};

export const listsPerPinpointMax = 1_000;
export const happeningsPerPinpointMax = 10_000;
