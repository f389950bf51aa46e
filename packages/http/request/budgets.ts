import { type MemoryShare, memoryShares, operatorBodiesBytesMax } from '../limits.ts';
import { type ByteBudget, createByteBudget } from './byte-budget.ts';

/** Bytes in flight of a process, each kind apart, so that none keeps another one out. */
export type Budgets = {
  /** Bodies that may hold a file. */
  readonly files: ByteBudget;
  /** Bodies that can hold no file. */
  readonly plain: ByteBudget;
  /** Bodies of token requests. */
  readonly forms: ByteBudget;
  /** Bytes that wait for the clients that asked for them. */
  readonly responses: ByteBudget;
};

/** The budgets of a process that plans with so much memory, in bytes. */
export const createBudgets = (memoryBytes: number): Budgets => ({
  files: createByteBudget(bytesOf(memoryShares.files, memoryBytes)),
  plain: createByteBudget(bytesOf(memoryShares.plain, memoryBytes)),
  forms: createByteBudget(bytesOf(memoryShares.forms, memoryBytes)),
  responses: createByteBudget(bytesOf(memoryShares.responses, memoryBytes)),
});

const bytesOf = ({ part, bytesMin, bytesMax }: MemoryShare, memoryBytes: number): number =>
  Math.max(bytesMin, Math.min(bytesMax, Math.floor(memoryBytes * part)));

/** The budgets of an operator port. Only operators reach it: whatever one request has taken, another one may take what is left. */
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
