import type { ProofStore } from '../proof-store.ts';

export type ProofStoreAdapter = {
  /** Opens an empty store. */
  readonly open: () => Promise<ProofStore & { readonly close: () => void | Promise<void> }>;
  /** How many random logs each property is tried with. */
  readonly runs: number;
};

/** Stores that sync each transaction are slow on a busy machine. */
export const propertiesTimeoutMs = 300_000;
