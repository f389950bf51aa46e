import type { StoredFile } from '../fields.ts';

/** ISO 8601, UTC, milliseconds; `end` is not before `start`. */
export type DateRange = { readonly start: string; readonly end: string };

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
  | { readonly type: 'HappeningDeleted'; readonly happening: number };

export const happeningEventVersions: Record<HappeningEvent['type'], number> = {
  HappeningCreated: 1,
  HappeningEdited: 1,
  HappeningDeleted: 1,
};
