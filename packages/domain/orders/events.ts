/** An operator's order about an object. Stored in events: never rename a field. */
type Order = {
  readonly account: string;
  /** The stream of the object, for example `pinpoint-12`. */
  readonly object: string;
  /** An opaque id of the person who gave the order. */
  readonly by: string | null;
  /** A code. */
  readonly reason: string | null;
  /** An opaque id of the case in which the order was given. */
  readonly case: string | null;
};

/** The orders about the objects of an account. No erasure removes them. */
export type OrderEvent =
  | (Order & { readonly type: 'ErasureOrdered' })
  /** Until the hold is released, the object must not be erased. */
  | (Order & { readonly type: 'HoldPlaced' })
  | (Order & { readonly type: 'HoldReleased' });

export const orderEventVersions: Record<OrderEvent['type'], number> = { ErasureOrdered: 1, HoldPlaced: 1, HoldReleased: 1 };
