import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { ReadModels } from '../read-models.ts';

/** Stores that sync each transaction are slow on a busy machine. */
export const historiesTimeoutMs = 300_000;

/** Read models, empty and without a position. */
export type ReadModelsUnderTest = ReadModels & {
  /** Returns everything they hold except the position, in an order of their own. */
  readonly dump: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

export type ReadModelsAdapter = {
  readonly open: () => Promise<ReadModelsUnderTest>;
  /** Returns the rows after a rebuild from these events, in batches of at most `batch`. Omitted where another adapter beneath holds the
   * rows. */
  readonly rebuild?: (events: readonly RecordedEvent[], batch: number) => Promise<readonly string[]>;
  /** How many random logs each property is tried with. */
  readonly runs: number;
};

export const using = async <Value>(
  open: ReadModelsAdapter['open'],
  use: (models: ReadModelsUnderTest) => Promise<Value>,
): Promise<Value> => {
  const models = await open();
  try {
    return await use(models);
  } finally {
    await models.close();
  }
};
