import type { HappeningFields } from './events.ts';

/** The state of the pinpoint at which a happening is to take place. `full`: it already has the maximum number of happenings. */
export type PinpointAvailability = 'present' | 'unknown' | 'full';

export type HappeningCommand =
  | {
      readonly type: 'CreateHappening';
      readonly account: string;
      readonly happening: number;
      readonly fields: HappeningFields;
      readonly place: PinpointAvailability;
    }
  | {
      readonly type: 'EditHappening';
      readonly account: string;
      readonly happening: number;
      readonly fields: Partial<HappeningFields>;
      /** Whether the happening's present pinpoint exists. A happening of a deleted pinpoint is not found. */
      readonly pinpointExists: boolean;
      readonly place: PinpointAvailability;
    }
  | {
      readonly type: 'RestoreHappening';
      readonly account: string;
      readonly happening: number;
      /** The fields of an earlier version. */
      readonly fields: HappeningFields;
      /** Whether the account has the pinpoint that the fields name. */
      readonly pinpointExists: boolean;
    }
  | { readonly type: 'DeleteHappening'; readonly account: string; readonly happening: number; readonly pinpointExists: boolean };

export type HappeningRefusal = 'not-found' | 'forbidden' | 'id-taken' | 'unknown-pinpoint' | 'too-many-happenings';
