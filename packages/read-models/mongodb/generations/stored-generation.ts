import type { ReadPosition } from '../../read-models.ts';
import type { Namespace } from '../namespace.ts';
import type { InTransaction, TransactionContext } from '../transactions.ts';

/** A generation, as far as the control of generations uses it. All throw ReadModelsUnavailable. */
export type StoredGeneration = {
  /** Returns the position of each partition; undefined where nothing was applied yet, or where all data was lost. */
  readonly positions: () => Promise<readonly (ReadPosition | undefined)[]>;
  /** Creates its missing collections and indexes. */
  readonly prepare: () => Promise<void>;
  readonly drop: () => Promise<void>;
};

/** What a generation is opened with. */
export type GenerationContext = {
  readonly namespace: Namespace;
  readonly inTransaction: InTransaction;
  /** Runs transactions that write. Transactions that other processes left open do not block them for long. */
  readonly writing: InTransaction;
  /** Called in the transaction that creates a generation's first position.
   * @throws ReadModelsUnavailable where the generation is unknown by now */
  readonly begin: (name: string, at: TransactionContext) => Promise<void>;
};
