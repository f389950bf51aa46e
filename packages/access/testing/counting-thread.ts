import { parentPort, workerData } from 'node:worker_threads';
import { type CounterTable, openWindowCounters } from '../window-counters.ts';

/** Counts keys in a shared table, `times` times each in turn, and reports the counts that were returned for each. */
export type CountingThread = { readonly table: CounterTable; readonly keys: readonly string[]; readonly times: number };

const { table, keys, times } = workerData as CountingThread;
const counters = openWindowCounters({ table });
const counted: Record<string, number[]> = Object.fromEntries(keys.map((key) => [key, []]));
for (let time = 0; time < times; time += 1)
  for (const key of keys) counted[key]?.push(counters.add({ name: 'requests', points: 1, seconds: 3_600 }, key).points);
parentPort?.postMessage(counted);
