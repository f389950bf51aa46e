import type { Operation } from '../bench/processor-time/load.ts';

/** A value for each measured operation. */
export type Ratios = Readonly<Record<Operation, number>>;

/** The processor time of the main thread per request, relative to the release before. `spread`: how far the release before differs from
 * itself, in half of the rounds. */
export type Comparison = { readonly now: Ratios; readonly spread: Ratios };

/** The part by which an operation may exceed its stored ratio. */
const tolerance = 0.15;
/** The largest spread of a measurement that counts. */
const spreadMax = 0.05;

/** Returns the operations that cost more than their budget. An operation whose measurement has a larger spread is not judged. */
export const exceeded = ({ now, spread }: Comparison, budget: Ratios): Operation[] =>
  (Object.keys(budget) as Operation[]).filter(
    (operation) => spread[operation] <= spreadMax && now[operation] > budget[operation] * (1 + tolerance),
  );

/** Returns the comparison as text, one line for each operation. */
export const report = ({ now, spread }: Comparison, budget: Ratios): string =>
  (Object.keys(budget) as Operation[])
    .map((operation) => {
      const [measured, stored, differing] = [now[operation], budget[operation], spread[operation]].map((ratio) => ratio.toFixed(3));
      return `${operation}: ${measured} of the release before; stored: ${stored}; spread of the release before: ${differing}\n`;
    })
    .join('');
