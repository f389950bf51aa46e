import { parentPort, workerData } from 'node:worker_threads';
import { type AmountTable, oneLess, oneMore, openAmounts } from '../counters/open-amounts.ts';
import { createByteBudget } from '../request/byte-budget.ts';

/** Takes and releases, `times` times each: one of `most` for each key, and bytes of a budget for each key as the caller. It keeps up to
 * `kept` of them, and releases the oldest when it is refused. */
export type TakingThread = {
  readonly table: AmountTable;
  readonly keys: readonly string[];
  readonly times: number;
  readonly kept: number;
  readonly most: number;
  readonly bytesMax: number;
  /** The number of threads that have not begun yet. Each one waits for the others, so that all work at the same time. */
  readonly awaited: SharedArrayBuffer;
};

/** How much was granted and refused, and the largest amounts that the thread has seen. */
export type Taken = { granted: number; refused: number; most: number; bytes: number };

const { table, keys, times, kept, most, bytesMax, awaited } = workerData as TakingThread;
const amounts = openAmounts({ table });
const budget = createByteBudget({ name: 'files', bytesMax, amounts });
const taken: Taken = { granted: 0, refused: 0, most: 0, bytes: 0 };

const takeOne = (key: string): (() => void) | undefined => {
  const isTaken = amounts.change(key, (amount) => {
    const next = oneMore(most)(amount);
    taken.most = Math.max(taken.most, next ?? amount);
    return next;
  });
  return isTaken ? () => void amounts.change(key, oneLess) : undefined;
};
const takeBytes = (key: string, bytes: number): (() => void) | undefined => {
  const hold = budget.hold(key);
  const isTaken = hold.take(bytes);
  taken.bytes = Math.max(taken.bytes, budget.takenBytes());
  return isTaken ? hold.release.bind(undefined, undefined) : undefined;
};

const waiting = new Int32Array(awaited);
Atomics.sub(waiting, 0, 1);
while (Atomics.load(waiting, 0) > 0);

const releases: (() => void)[] = [];
for (let time = 0; time < times; time += 1)
  for (const key of keys)
    for (const release of [takeOne(key), takeBytes(key, 1 + (time % 7))]) {
      taken[release ? 'granted' : 'refused'] += 1;
      if (release) releases.push(release);
      if (!release || releases.length > kept) releases.shift()?.();
    }
for (const release of releases) release();
parentPort?.postMessage(taken);
