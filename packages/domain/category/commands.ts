import type { CategoryFields } from './events.ts';

export type CategoryCommand =
  | { readonly type: 'CreateCategory'; readonly account: string; readonly category: number; readonly fields: CategoryFields }
  | { readonly type: 'EditCategory'; readonly account: string; readonly category: number; readonly fields: Partial<CategoryFields> };

export type CategoryRefusal = 'not-found' | 'forbidden' | 'id-taken';
