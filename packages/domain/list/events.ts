import type { ErasureSummary } from '../erasure-summary.ts';

/** Stored in events: never rename a field. */
export type ListFields = {
  readonly name: string;
  /** Sanitised HTML. */
  readonly description: string;
};

/** A requested id that could not be added: it is not a pinpoint of the account, or the pinpoint is already in the maximum number of lists.
 * Stored in events: never rename a field. */
export type NotAdded = { readonly pinpoint: number; readonly reason: 'not_found' | 'limit' };

export type ListEvent =
  | { readonly type: 'ListCreated'; readonly account: string; readonly list: number; readonly fields: ListFields }
  | { readonly type: 'ListEdited'; readonly list: number; readonly fields: Partial<ListFields> }
  | { readonly type: 'ListDeleted'; readonly list: number }
  | {
      readonly type: 'PinpointsAdded';
      readonly list: number;
      /** Only those that were not members before, in the requested order. */
      readonly pinpoints: readonly number[];
      /** Stored so that a repeated request gets the same response. */
      readonly notAdded: readonly NotAdded[];
    }
  | { readonly type: 'PinpointsRemoved'; readonly list: number; readonly pinpoints: readonly number[] }
  /** All fields were set again. If the list was deleted, it is present again, with its members. */
  | { readonly type: 'ListRestored'; readonly list: number; readonly fields: ListFields }
  | ListMembersRestated
  | ListRedacted;

/** The members of a range of ids, which stay when the earlier events are erased. Changes nothing. */
export type ListMembersRestated = {
  readonly type: 'ListMembersRestated';
  readonly list: number;
  /** The first and the last id of the range. */
  readonly from: number;
  readonly to: number;
  /** The ids of all members in the range, in ascending order. */
  readonly members: readonly number[];
};

/** The earlier events were erased. `fields` are the present fields, which stay; null if the list was deleted. */
export type ListRedacted = {
  readonly type: 'ListRedacted';
  readonly account: string;
  readonly list: number;
  readonly summary: ErasureSummary;
  readonly fields: ListFields | null;
} & (
  | {
      /** Version 1. The ids of all its members in ascending order. For a deleted list: its members when it was deleted. */
      readonly members: readonly number[];
    }
  | {
      /** Version 2. The revision of the first of the events that restate its members, or of this event: only the events before it were
       * erased. */
      readonly restatedFrom: number;
    }
);

export const listEventVersions: Record<ListEvent['type'], number> = {
  ListCreated: 1,
  ListEdited: 1,
  ListDeleted: 1,
  PinpointsAdded: 1,
  PinpointsRemoved: 1,
  ListRestored: 1,
  ListMembersRestated: 1,
  ListRedacted: 2,
};
