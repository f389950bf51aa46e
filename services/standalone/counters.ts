import { type CounterTable, createCounterTable, openWindowCounters, type WindowCounters } from '@waymark/access/window-counters.ts';
import { createKnownKeysTable, type KnownKeys, type KnownKeysTable, openKnownKeys } from '@waymark/http/counters/known-keys.ts';
import { type AmountTable, createAmountTable, type OpenAmounts, openAmounts } from '@waymark/http/counters/open-amounts.ts';

/** The memory in which all threads of the process count requests and what is open, and know credentials. It is plain data, which can be sent
 * to a thread. */
export type SharedCounters = { readonly rates: CounterTable; readonly amounts: AmountTable; readonly known: KnownKeysTable };

/** The shared counters as one thread uses them. */
export type Counters = { readonly rates: WindowCounters; readonly amounts: OpenAmounts; readonly known: KnownKeys };

export const createSharedCounters = (): SharedCounters => ({
  rates: createCounterTable(),
  amounts: createAmountTable(),
  known: createKnownKeysTable(),
});

/** @param memoryBytes the memory that the thread plans with */
export const openCounters = ({ rates, amounts, known }: SharedCounters, memoryBytes: number): Counters => ({
  rates: openWindowCounters({ table: rates, memoryBytes }),
  amounts: openAmounts({ table: amounts, memoryBytes }),
  known: openKnownKeys(known),
});
