import type { ErasureSummary } from '../erasure-summary.ts';
import type { StoredFile } from '../fields.ts';

/** ISO 8601, UTC, milliseconds; `end` is not before `start`. Stored in events: never rename a field. */
export type DateRange = { readonly start: string; readonly end: string };

/** Stored in events: never rename a field. */
export type HappeningFields = {
  readonly name: string;
  /** Id of the pinpoint where it takes place. */
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
  /** All before it was erased. Fields: as they are, and go on being; null where it was deleted. */
  | {
      readonly type: 'HappeningRedacted';
      readonly account: string;
      readonly happening: number;
      readonly summary: ErasureSummary;
      readonly fields: HappeningFields | null;
      /** Id of the pinpoint where it takes place, or did when it was deleted. */
      readonly pinpoint: number;
    };

export const happeningEventVersions: Record<HappeningEvent['type'], number> = {
  HappeningCreated: 1,
  HappeningEdited: 1,
  HappeningDeleted: 1,
  HappeningRedacted: 1,
};
