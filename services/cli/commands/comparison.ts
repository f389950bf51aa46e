import type { Verification } from '@waymark/operations/api/answers.ts';

/** Returns what a comparison with the log has found.
 * @param mend what is added if there is a difference */
export const comparisonText = ({ equal, position }: Verification['readModels'], mend = ''): string =>
  `${equal ? 'equal to the log' : `DIFFERS from the log${mend}`}, up to position ${position}`;
