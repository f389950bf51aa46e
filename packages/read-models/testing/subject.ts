import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { ReadModels } from '../read-models.ts';

/** Engines that sync each transaction take their time on a busy machine. */
export const historiesTimeoutMs = 300_000;

/** Read models, empty and without a position. */
export type ReadModelsUnderTest = ReadModels & {
  /** All that they hold but the position, in an order of its own. */
  readonly dump: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

export type ReadModelsAdapter = {
  readonly open: () => Promise<ReadModelsUnderTest>;
  /** What a rebuild from these events, in batches of at most this many, holds in the end. Left out where another adapter beneath keeps the rows. */
  readonly rebuild?: (events: readonly RecordedEvent[], batch: number) => Promise<readonly string[]>;
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
