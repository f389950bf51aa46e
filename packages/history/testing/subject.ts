import type { RecordedEvent } from '@waymark/domain/event.ts';
import { applyAll } from '@waymark/read-models/testing/recorder.ts';
import { type History, HistoryUnavailable } from '../history.ts';

/** A history, empty and without a position. */
export type HistoryUnderTest = History & {
  /** Returns all rows except the positions and the progress of cleaning, in an order of their own. */
  readonly dump: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

export type HistoryAdapter = {
  readonly open: () => Promise<HistoryUnderTest>;
  /** How many random logs each property is tried with. */
  readonly runs: number;
};

/** Stores that sync each transaction are slow on a busy machine. */
export const propertiesTimeoutMs = 300_000;

/** How a property is tried with random logs. The search for a smaller log with the same fault ends in time to name the one that was found. */
export const searchOf = ({ runs }: Pick<HistoryAdapter, 'runs'>) => ({
  numRuns: runs,
  interruptAfterTimeLimit: propertiesTimeoutMs / 2,
  markInterruptAsFailure: true,
});

export const using = async <Value>(open: HistoryAdapter['open'], use: (history: HistoryUnderTest) => Promise<Value>): Promise<Value> => {
  const history = await open();
  try {
    return await use(history);
  } finally {
    await history.close();
  }
};

/** Cleans a history until nothing of erased content is left. As in production, a step that a busy store does not end in time is repeated. */
export const cleaned = async (history: Pick<HistoryUnderTest, 'clean'>): Promise<void> => {
  for (let failures = 0; ; ) {
    try {
      if (!(await history.clean())) return;
    } catch (error) {
      failures += 1;
      if (!(error instanceof HistoryUnavailable) || failures > failuresMax) throw error;
    }
  }
};

const failuresMax = 10;

/** Returns the rows of a history of some events, once it is cleaned. */
export const rowsOf = (open: HistoryAdapter['open'], events: readonly RecordedEvent[], sizes?: readonly number[]) =>
  using(open, async (history) => {
    await applyAll(history.apply, events, sizes);
    await cleaned(history);
    return history.dump();
  });
