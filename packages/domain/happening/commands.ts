import type { HappeningFields } from './events.ts';

/** What the world says of a pinpoint that a happening is to take place at. `full`: it has as many happenings as it may have. */
export type Place = 'present' | 'unknown' | 'full';

export type HappeningCommand =
  | {
      readonly type: 'CreateHappening';
      readonly account: string;
      readonly happening: number;
      readonly fields: HappeningFields;
      readonly place: Place;
    }
  | {
      readonly type: 'EditHappening';
      readonly account: string;
      readonly happening: number;
      readonly fields: Partial<HappeningFields>;
      /** Whether the pinpoint that it stands at now lives: a happening of a deleted pinpoint is not found. */
      readonly standing: boolean;
      readonly place: Place;
    }
  | { readonly type: 'DeleteHappening'; readonly account: string; readonly happening: number; readonly standing: boolean };

export type HappeningRefusal = 'not-found' | 'forbidden' | 'id-taken' | 'unknown-pinpoint' | 'too-many-happenings';
