import type { ErasureSummary } from '../erasure-summary.ts';

/** Stored in events: never rename a field. */
export type ListFields = {
  readonly name: string;
  /** Sanitised HTML. */
  readonly description: string;
};

/** An id that was asked for and could not be added: not a pinpoint of the account, or in as many lists as a pinpoint may be.
 * Stored in events: never rename a field. */
export type NotAdded = { readonly pinpoint: number; readonly reason: 'not_found' | 'limit' };

export type ListEvent =
  | { readonly type: 'ListCreated'; readonly account: string; readonly list: number; readonly fields: ListFields }
  | { readonly type: 'ListEdited'; readonly list: number; readonly fields: Partial<ListFields> }
  | { readonly type: 'ListDeleted'; readonly list: number }
  | {
      readonly type: 'PinpointsAdded';
      readonly list: number;
      /** Only those that were no members before, in the order asked. */
      readonly pinpoints: readonly number[];
      /** Kept so that a repeated request gets the same answer. */
      readonly notAdded: readonly NotAdded[];
    }
  | { readonly type: 'PinpointsRemoved'; readonly list: number; readonly pinpoints: readonly number[] }
  /** All before it was erased. Fields: as they are, and go on being; null where it was deleted. */
  | {
      readonly type: 'ListRedacted';
      readonly account: string;
      readonly list: number;
      readonly summary: ErasureSummary;
      readonly fields: ListFields | null;
      /** Ids of all its members, those that it was deleted with included, in ascending order. */
      readonly members: readonly number[];
    };

export const listEventVersions: Record<ListEvent['type'], number> = {
  ListCreated: 1,
  ListEdited: 1,
  ListDeleted: 1,
  PinpointsAdded: 1,
  PinpointsRemoved: 1,
  ListRedacted: 1,
};
