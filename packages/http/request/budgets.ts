import { type MemoryShare, memoryShares, operatorBodiesBytesMax } from '../limits.ts';
import { type ByteBudget, createByteBudget } from './byte-budget.ts';

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

/** Creates the budgets of a process that plans with `memoryBytes` of memory. */
export const createBudgets = (memoryBytes: number): Budgets => ({
  files: createByteBudget(bytesOf(memoryShares.files, memoryBytes)),
  plain: createByteBudget(bytesOf(memoryShares.plain, memoryBytes)),
  forms: createByteBudget(bytesOf(memoryShares.forms, memoryBytes)),
  responses: createByteBudget(bytesOf(memoryShares.responses, memoryBytes)),
});

const bytesOf = ({ part, bytesMin, bytesMax }: MemoryShare, memoryBytes: number): number =>
  Math.max(bytesMin, Math.min(bytesMax, Math.floor(memoryBytes * part)));

/** Creates the budgets of an operator port. Only operators can reach it, so there is no share per caller: a request may take whatever other
 * requests have left. */
export const createOperatorBudgets = (): Budgets => {
  const all = unshared(operatorBodiesBytesMax);
  return { files: all, plain: all, forms: all, responses: unshared(Number.POSITIVE_INFINITY) };
};

const unshared = (bytesMax: number): ByteBudget => {
  const budget = createByteBudget(bytesMax);
  let holds = 0;
  return {
    ...budget,
    hold: () => {
      holds += 1;
      return budget.hold(`${holds}`);
    },
  };
};
