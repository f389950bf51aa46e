import type { DomainEvent } from '@waymark/domain/event.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import type { ApplicationDocument, Document } from '../read-models.ts';

/** A document as the projection writes it. Its counters are apart (`counted`), so that writing the one never undoes the other. */
export type ProjectedDocument = Omit<Document, 'lists' | 'happenings'> & {
  /** Of a happening: where it takes place. */
  readonly pinpoint: number | null;
};

/** What a recorded event means to the read side. */
export type Fact = {
  readonly stream: string;
  readonly revision: number;
  readonly account: string;
  readonly type: string;
  /** Undefined once the content was erased, unless the type says it all. */
  readonly event: DomainEvent | undefined;
};

/** A membership, or a happening's place: shown only while the pinpoint lives. */
export type Membership = { readonly pinpoint: number; readonly shown: boolean };

/** What an event changes. Whoever writes changes does so in order, those of a batch in one transaction. */
export type Change =
  /** `before`: what it replaces; `id` and `account` are the same then. */
  | {
      readonly type: 'put';
      readonly kind: ResourceKind;
      readonly document: ProjectedDocument;
      readonly before: ProjectedDocument | undefined;
    }
  /** Only the revision changes; nothing where there is no such document. */
  | { readonly type: 'moved'; readonly kind: ResourceKind; readonly id: number; readonly revision: number }
  | { readonly type: 'members-added'; readonly list: number; readonly members: readonly Membership[] }
  | { readonly type: 'members-removed'; readonly list: number; readonly pinpoints: readonly number[] }
  /** Its memberships and its happenings are shown no more. They stay, so that they can come back with it. */
  | { readonly type: 'pinpoint-hidden'; readonly pinpoint: number }
  /** Adds to the counters of pinpoints; nothing where there is no such pinpoint. */
  | {
      readonly type: 'counted';
      readonly pinpoints: readonly number[];
      readonly lists: number;
      readonly happenings: number;
    }
  | { readonly type: 'application-put'; readonly document: ApplicationDocument };

/** As much of a pinpoint as matters to what stands on it. */
export type PinpointState = Pick<ProjectedDocument, 'account' | 'present'>;

/** Documents as the changes before left them. Only those that `needs` names are asked for. */
export type Lookup = {
  readonly document: (kind: ResourceKind, id: number) => ProjectedDocument | undefined;
  readonly place: (pinpoint: number) => PinpointState | undefined;
  readonly application: (id: string) => ApplicationDocument | undefined;
  /** Ids of all members, those on deleted pinpoints included. */
  readonly members: (list: number) => ReadonlySet<number>;
};

/** What has to be looked up before a fact can be projected. */
export type Needs = {
  readonly documents: readonly { readonly kind: ResourceKind; readonly id: number }[];
  readonly places: readonly number[];
  readonly applications: readonly string[];
  /** Lists whose members are asked for. */
  readonly members: readonly number[];
};
