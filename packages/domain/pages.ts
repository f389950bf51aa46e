import type { ResourceKind } from './streams.ts';

/** One page of an account's objects in the order of their ids. `within` narrows pinpoints to a list, happenings to a pinpoint. */
export type PageQuery = {
  readonly kind: ResourceKind;
  readonly account: string;
  readonly within: number | null;
  /** Forward: ids above `from`. Backward: ids below it; the page still comes in ascending order. */
  readonly direction: 'forward' | 'backward';
  readonly from: number;
  readonly limit: number;
};

export type Page = {
  readonly items: readonly { readonly id: number; readonly text: string }[];
  /** Whether there is anything before the first item, and after the last. */
  readonly before: boolean;
  readonly after: boolean;
};
