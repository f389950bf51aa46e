import { type OpenAmounts, openAmounts } from '../counters/open-amounts.ts';
import { amountMax, type MemoryShare, memoryShares, operatorBodiesBytesMax } from '../limits.ts';
import { type ByteBudget, type ByteBudgetOptions, createByteBudget } from './byte-budget.ts';

/** Budgets for the bytes in flight of a process. Each kind has its own budget, so that no kind keeps another one out. */
export type Budgets = {
  /** Bodies that may contain a file. */
  readonly files: ByteBudget;
  /** Bodies that cannot contain a file. */
  readonly plain: ByteBudget;
  /** Bodies of token requests. */
  readonly forms: ByteBudget;
  /** Bytes of responses that wait for their clients. */
  readonly responses: ByteBudget;
};

/** Creates the budgets of a process that plans with `memoryBytes` of memory.
 * @param amounts counts the bytes of all threads of the process; by default, those of the caller alone */
export const createBudgets = (memoryBytes: number, amounts: OpenAmounts = openAmounts({ memoryBytes })): Budgets => {
  const budget = (name: keyof Budgets): ByteBudget =>
    createByteBudget({ name, bytesMax: bytesOf(memoryShares[name], memoryBytes), amounts });
  return { files: budget('files'), plain: budget('plain'), forms: budget('forms'), responses: budget('responses') };
};

const bytesOf = ({ part, bytesMin, bytesMax }: MemoryShare, memoryBytes: number): number =>
  Math.max(bytesMin, Math.min(bytesMax, Math.floor(memoryBytes * part)));

/** Creates the budgets of an operator port. Only operators can reach it, so there is no share per caller: a request may take whatever other
 * requests have left. */
export const createOperatorBudgets = (): Budgets => {
  const amounts = openAmounts();
  const all = unshared({ name: 'files', bytesMax: operatorBodiesBytesMax, amounts });
  return { files: all, plain: all, forms: all, responses: unshared({ name: 'responses', bytesMax: amountMax, amounts }) };
};

const unshared = (options: ByteBudgetOptions): ByteBudget => {
  const budget = createByteBudget(options);
  let holds = 0;
  return {
    ...budget,
    hold: () => {
      holds += 1;
      return budget.hold(`${holds}`);
    },
  };
};
