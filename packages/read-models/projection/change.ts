import type { DomainEvent } from '@waymark/domain/event.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import type { ApplicationDocument, Document } from '../read-models.ts';

/** A document as the projection writes it. Its counters are separate (`counted`), so that writing one never undoes the other. */
export type ProjectedDocument = Omit<Document, 'lists' | 'happenings'> & {
  /** Of a happening: the pinpoint where it takes place. */
  readonly pinpoint: number | null;
};

/** An event that can change a document: not one about a changeset, an order about an object, or an undo. */
export type ProjectedEvent = Exclude<DomainEvent, { changeset: string } | { object: string } | { undo: string }>;

/** The content of a recorded event, for the projection. */
export type Fact = {
  readonly stream: string;
  readonly revision: number;
  readonly account: string;
  readonly type: string;
  /** Undefined if the content was erased, unless the type alone determines the event. */
  readonly event: ProjectedEvent | undefined;
};

/** A membership, or the place of a happening. It is shown only while the pinpoint is present. */
export type Membership = { readonly pinpoint: number; readonly shown: boolean };

/** What is added to the counters of a pinpoint. */
export type Counts = { readonly lists: number; readonly happenings: number };

/** A change that an event makes. Changes are written in order, those of a batch in one transaction. */
export type Change =
  /** `before`: the document that it replaces, with the same `id` and `account`. `counts`: of a pinpoint, as `counted`, because a row that is
   * written once costs half of one that is written twice. */
  | {
      readonly type: 'put';
      readonly kind: ResourceKind;
      readonly document: ProjectedDocument;
      readonly before: ProjectedDocument | undefined;
      readonly counts?: Counts | undefined;
    }
  /** Changes only the revision. It has no effect where the document does not exist. */
  | { readonly type: 'moved'; readonly kind: ResourceKind; readonly id: number; readonly revision: number }
  | { readonly type: 'members-added'; readonly list: number; readonly members: readonly Membership[] }
  | { readonly type: 'members-removed'; readonly list: number; readonly pinpoints: readonly number[] }
  /** Hides the pinpoint's memberships and happenings, or shows those of its account again that are present. */
  | { readonly type: 'pinpoint-shown'; readonly pinpoint: number; readonly shown: boolean }
  /** Adds to the counters of pinpoints. It has no effect where a pinpoint does not exist. */
  | ({ readonly type: 'counted'; readonly pinpoints: readonly number[] } & Counts)
  | { readonly type: 'application-put'; readonly document: ApplicationDocument };

/** A change that writes a document. */
export type Put = Extract<Change, { type: 'put' }>;

/** The fields of a pinpoint that matter to its memberships and happenings. */
export type PinpointState = Pick<ProjectedDocument, 'account' | 'present'>;

/** The members of a list from one id to another, both included. */
export type MemberRange = { readonly list: number; readonly from: number; readonly to: number };

/** Looks up documents as the earlier changes left them. Only documents that `needs` names are looked up. */
export type Lookup = {
  readonly document: (kind: ResourceKind, id: number) => ProjectedDocument | undefined;
  readonly place: (pinpoint: number) => PinpointState | undefined;
  readonly application: (id: string) => ApplicationDocument | undefined;
  /** Returns the ids of all members in a range, including those on deleted pinpoints. */
  readonly members: (range: MemberRange) => ReadonlySet<number>;
  readonly isMember: (list: number, pinpoint: number) => boolean;
};

/** The documents that must be looked up before a fact can be projected. */
export type Needs = {
  readonly documents: readonly { readonly kind: ResourceKind; readonly id: number }[];
  readonly places: readonly number[];
  readonly applications: readonly string[];
  readonly members: readonly MemberRange[];
  readonly memberships: readonly { readonly list: number; readonly pinpoints: readonly number[] }[];
};
