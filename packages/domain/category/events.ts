import type { StoredFile } from '../fields.ts';

export type CategoryFields = { readonly name: string; readonly image: StoredFile };

export type CategoryEvent =
  | { readonly type: 'CategoryCreated'; readonly account: string; readonly category: number; readonly fields: CategoryFields }
  | { readonly type: 'CategoryEdited'; readonly category: number; readonly fields: Partial<CategoryFields> };

export const categoryEventVersions: Record<CategoryEvent['type'], number> = { CategoryCreated: 1, CategoryEdited: 1 };
