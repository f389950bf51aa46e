import type { ErasureSummary } from '../erasure-summary.ts';
import type { StoredFile } from '../fields.ts';

/** Stored in events: never rename a field. */
export type PinpointFields = {
  readonly name: string;
  readonly address: string;
  /** Decimal degrees. */
  readonly latitude: number;
  /** Decimal degrees. */
  readonly longitude: number;
  /** Meters. */
  readonly altitude: number | null;
  readonly category: number | null;
  /** Sanitised HTML. */
  readonly description: string;
  readonly mediaCredits: string;
  readonly media: StoredFile | null;
  readonly tags: readonly string[];
};

export type PinpointEvent =
  | { readonly type: 'PinpointCreated'; readonly account: string; readonly pinpoint: number; readonly fields: PinpointFields }
  | { readonly type: 'PinpointEdited'; readonly pinpoint: number; readonly fields: Partial<PinpointFields> }
  | { readonly type: 'PinpointDeleted'; readonly pinpoint: number }
  /** All fields were set again. If the pinpoint was deleted, it is present again, with its memberships and happenings. */
  | { readonly type: 'PinpointRestored'; readonly pinpoint: number; readonly fields: PinpointFields }
  /** All earlier events were erased. `fields` are the present fields, which stay; null if the pinpoint was deleted. */
  | {
      readonly type: 'PinpointRedacted';
      readonly account: string;
      readonly pinpoint: number;
      readonly summary: ErasureSummary;
      readonly fields: PinpointFields | null;
    };

export const pinpointEventVersions: Record<PinpointEvent['type'], number> = {
  PinpointCreated: 1,
  PinpointEdited: 1,
  PinpointDeleted: 1,
  PinpointRestored: 1,
  PinpointRedacted: 1,
};
