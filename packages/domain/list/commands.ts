import type { ListFields, NotAdded } from './events.ts';

export type ListCommand =
  | { readonly type: 'CreateList'; readonly account: string; readonly list: number; readonly fields: ListFields }
  | { readonly type: 'EditList'; readonly account: string; readonly list: number; readonly fields: Partial<ListFields> }
  /** `fields`: those of an earlier version. */
  | { readonly type: 'RestoreList'; readonly account: string; readonly list: number; readonly fields: ListFields }
  | { readonly type: 'DeleteList'; readonly account: string; readonly list: number }
  | {
      readonly type: 'AddPinpoints';
      readonly account: string;
      readonly list: number;
      /** Distinct ids that may be added, in the requested order. */
      readonly pinpoints: readonly number[];
      /** Distinct ids that may not be added. A pinpoint that is already a member is never refused because of the limit. */
      readonly notAdded: readonly NotAdded[];
    }
  | { readonly type: 'RemovePinpoints'; readonly account: string; readonly list: number; readonly pinpoints: readonly number[] };

export type ListRefusal = 'not-found' | 'forbidden' | 'id-taken';
