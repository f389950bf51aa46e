import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { type BatchLimits, createBatches } from '@waymark/timing/batches.ts';
import { keysTogether, keysWaitingMax, rememberedMax } from './limits.ts';

/** Rows that are read by their keys. */
export type KeyedRows<Key, Value> = {
  readonly get: (key: Key) => Promise<Value | undefined>;
  /** Takes note of a row that was read otherwise. */
  readonly note: (key: Key, value: Value) => void;
};

/** The queries of a snapshot run one after the other, so two at once would gain nothing. */
const limits: BatchLimits = { keysMax: keysTogether, inProgressMax: 1, waitingMax: keysWaitingMax };

/** Creates reads of single rows, each once: answers ask for the same ones again. The rows that are requested in one turn of the event loop
 * share a query, so all items of a page that need a row of one kind cost one query.
 * @param read returns the rows with these keys */
export const createKeyedRows = <Key, Value>(read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>): KeyedRows<Key, Value> => {
  const known = new Map<Key, Promise<Value | undefined>>();
  const request = createBatches(limits, read, () => new ReadModelsUnavailable('MongoDB: a read of the history needs too many rows.'));
  const remember = (key: Key, value: Promise<Value | undefined>): Promise<Value | undefined> => {
    if (known.size < rememberedMax) known.set(key, value);
    return value;
  };
  return {
    get: (key) => known.get(key) ?? remember(key, request(key)),
    note: (key, value) => void (known.has(key) || remember(key, Promise.resolve(value))),
  };
};
