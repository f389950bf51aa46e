/** The reasons that an operator may give. Stored in events: never rename one. A later release may add others. */
export const orderReasons = [
  'erasure-request',
  'consent-withdrawn',
  'retention-ended',
  'legal-obligation',
  'legal-dispute',
  'authority-request',
  'unlawful-content',
  'mistake',
  'other',
] as const;

type Order = {
  readonly account: string;
  /** The stream of the object. */
  readonly object: string;
  readonly by: string | null;
  readonly reason: (typeof orderReasons)[number] | null;
  readonly case: string | null;
};

export type OrderCommand = Order & { readonly type: 'OrderErasure' | 'PlaceHold' | 'ReleaseHold' };

export type OrderRefusal = 'on-hold' | 'not-on-hold';
