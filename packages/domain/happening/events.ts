import type { ErasureSummary } from '../erasure-summary.ts';
import type { StoredFile } from '../fields.ts';

/** An instant in ISO 8601, UTC, with milliseconds, for each end; `end` is not before `start`. Stored in events: never rename a field. */
export type DateRange = { readonly start: string; readonly end: string };

/** Stored in events: never rename a field. */
export type HappeningFields = {
  readonly name: string;
  /** The id of the pinpoint where it takes place. */
  readonly pinpoint: number;
  readonly dates: readonly DateRange[];
  /** Sanitised HTML. */
  readonly description: string;
  readonly mediaCredits: string;
  readonly media: StoredFile | null;
  readonly tags: readonly string[];
};

export type HappeningEvent =
  | { readonly type: 'HappeningCreated'; readonly account: string; readonly happening: number; readonly fields: HappeningFields }
  | { readonly type: 'HappeningEdited'; readonly happening: number; readonly fields: Partial<HappeningFields> }
  | { readonly type: 'HappeningDeleted'; readonly happening: number }
  /** All fields were set again. If the happening was deleted, it is present again. */
  | { readonly type: 'HappeningRestored'; readonly happening: number; readonly fields: HappeningFields }
  /** All earlier events were erased. `fields` are the present fields, which stay; null if the happening was deleted. */
  | {
      readonly type: 'HappeningRedacted';
      readonly account: string;
      readonly happening: number;
      readonly summary: ErasureSummary;
      readonly fields: HappeningFields | null;
      /** The id of the pinpoint where it takes place, or took place when it was deleted. */
      readonly pinpoint: number;
    };

export const happeningEventVersions: Record<HappeningEvent['type'], number> = {
  HappeningCreated: 1,
  HappeningEdited: 1,
  HappeningDeleted: 1,
  HappeningRestored: 1,
  HappeningRedacted: 1,
};
