import type { ErasureSummary } from '../erasure-summary.ts';
import type { StoredFile } from '../fields.ts';

/** Stored in events: never rename a field. */
export type CategoryFields = { readonly name: string; readonly image: StoredFile };

export type CategoryEvent =
  | { readonly type: 'CategoryCreated'; readonly account: string; readonly category: number; readonly fields: CategoryFields }
  | { readonly type: 'CategoryEdited'; readonly category: number; readonly fields: Partial<CategoryFields> }
  /** All earlier events were erased. `fields` are the present fields, which stay. */
  | {
      readonly type: 'CategoryRedacted';
      readonly account: string;
      readonly category: number;
      readonly summary: ErasureSummary;
      readonly fields: CategoryFields;
    };

export const categoryEventVersions: Record<CategoryEvent['type'], number> = {
  CategoryCreated: 1,
  CategoryEdited: 1,
  CategoryRedacted: 1,
};
