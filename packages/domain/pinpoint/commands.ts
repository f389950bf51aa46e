import type { PinpointFields } from './events.ts';

/** `categoryExists`: whether the account has the category that the fields name; true if they name none. */
export type PinpointCommand =
  | {
      readonly type: 'CreatePinpoint';
      readonly account: string;
      readonly pinpoint: number;
      readonly fields: PinpointFields;
      readonly categoryExists: boolean;
    }
  | {
      readonly type: 'EditPinpoint';
      readonly account: string;
      readonly pinpoint: number;
      readonly fields: Partial<PinpointFields>;
      readonly categoryExists: boolean;
    }
  | {
      readonly type: 'RestorePinpoint';
      readonly account: string;
      readonly pinpoint: number;
      /** The fields of an earlier version. */
      readonly fields: PinpointFields;
    }
  | { readonly type: 'DeletePinpoint'; readonly account: string; readonly pinpoint: number };

export type PinpointRefusal = 'not-found' | 'forbidden' | 'id-taken' | 'unknown-category';
