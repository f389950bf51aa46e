import type { ResourceKind } from './streams.ts';

/** A query for one page of an account's objects, in the order of their ids. `within` restricts pinpoints to a list and happenings to a
 * pinpoint. */
export type PageQuery = {
  readonly kind: ResourceKind;
  readonly account: string;
  readonly within: number | null;
  /** Forward: ids above `from`. Backward: ids below `from`. The page is in ascending order in both cases. */
  readonly direction: 'forward' | 'backward';
  readonly from: number;
  readonly limit: number;
};

export type Page = {
  readonly items: readonly { readonly id: number; readonly text: string }[];
  /** Whether there are items before the first one; `after`: whether there are items after the last one. */
  readonly before: boolean;
  readonly after: boolean;
};
