import { type CounterTable, createCounterTable, openWindowCounters, type WindowCounters } from '@waymark/access/window-counters.ts';
import { type AmountTable, createAmountTable, type OpenAmounts, openAmounts } from '@waymark/http/counters/open-amounts.ts';

/** The memory in which all threads of the process count requests and what is open. It is plain data, which can be sent to a thread. */
type SharedCounters = { readonly rates: CounterTable; readonly amounts: AmountTable };

/** The shared counters as one thread uses them. */
export type Counters = { readonly rates: WindowCounters; readonly amounts: OpenAmounts };

export const createSharedCounters = (): SharedCounters => ({
  rates: createCounterTable(),
  amounts: createAmountTable(),
});

/** @param memoryBytes the memory of the process */
export const openCounters = ({ rates, amounts }: SharedCounters, memoryBytes: number): Counters => ({
  rates: openWindowCounters({ table: rates, memoryBytes }),
  amounts: openAmounts({ table: amounts, memoryBytes }),
});
