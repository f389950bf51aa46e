import type { AlignmentLimits } from './alignment.ts';

/** Two descriptions of the greatest length take about 30 ms of processor time at most. Reading their words takes two thirds of it. The rest
 * grows with the square of the edits. */
export const wordLimits: AlignmentLimits = { itemsMax: 40_000, editsMax: 300 };
export const linkLimits: AlignmentLimits = { itemsMax: 5_000, editsMax: 100 };
