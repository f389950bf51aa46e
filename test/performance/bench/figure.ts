import { median } from './statistics.ts';

/** The programs that are measured. `reference` is Waymark itself, under the condition with which a row compares. */
export type Column = 'bare' | 'crud' | 'waymark' | 'reference';
export type Samples = Readonly<Partial<Record<Column, readonly number[]>>>;

/** The goal for Waymark's value, or for its ratio to the value of another column. */
export type Goal = { readonly against?: Column; readonly least?: number; readonly most?: number };

/** How many cores other programs kept busy before a round and during it, the most over its contestants. A repeated round does not count. */
export type RoundConditions = { readonly before: number; readonly during: number; readonly repeated: boolean };

export type RowResult = {
  readonly row: string;
  readonly title: string;
  readonly unit: '/s' | ' ms' | ' s' | ' MB';
  readonly samples: Samples;
  /** Absent where nothing is measured in rounds. */
  readonly rounds?: readonly RoundConditions[];
  readonly goals: readonly Goal[];
};

export type Judged = Goal & { readonly reached: number; readonly holds: boolean };

export const middle = (samples: Samples, column: Column): number | undefined => samples[column] && median(samples[column]);

/** Compares measurements with their goals. Goals whose columns were not measured are left out. */
export const judge = ({ samples, goals }: RowResult): readonly Judged[] =>
  goals.flatMap((goal) => {
    const ours = middle(samples, 'waymark');
    const theirs = goal.against === undefined ? 1 : middle(samples, goal.against);
    if (ours === undefined || theirs === undefined) return [];
    const reached = ours / theirs;
    return [{ ...goal, reached, holds: reached >= (goal.least ?? 0) && reached <= (goal.most ?? Number.POSITIVE_INFINITY) }];
  });
