import type { ResourceKind } from '@waymark/domain/streams.ts';
import { type Kept, nothingKept } from '@waymark/domain/undo/plan.ts';
import { apiName, inApiOrder } from '@waymark/history/reading/api-values.ts';
import { collections } from '@waymark/history/reading/collections.ts';

type Done = { readonly kept?: Kept; readonly taken?: { readonly event: string | null; readonly revision: number | null } };

/** Returns what was done to an object, as clients get it. */
export const reportOf = (
  { kind, id }: { readonly kind: ResourceKind; readonly id: number },
  outcome: 'restored' | 'undone' | 'kept',
  { kept = nothingKept, taken }: Done,
): object => ({
  object: { kind: collections[kind], id },
  outcome,
  event: taken?.event ?? null,
  revision: taken?.revision ?? null,
  reason: kept.reason,
  fields: inApiOrder(kept.fields).map(apiName),
  pinpoints: kept.pinpoints,
});
