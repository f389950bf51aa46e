import { otherNotaryIntervals } from './limits.ts';

/** The notary must not sign, or cannot. The message is a sentence that names the cause. It tries again. */
export class SigningRefused extends Error {}

/** The log contradicts what was signed. The notary has read all of it to find that out, so it does not try again at once. */
export class LogContradicts extends Error {}

/** The notary has to read the log again from its start. It is no failure. The message is a sentence. */
export class ReadAgain extends Error {
  /** After how many intervals. */
  readonly intervals: number;
  constructor(message: string, intervals = 0) {
    super(message);
    this.intervals = intervals;
  }
}

/** Another notary was the first to sign. */
export const anotherHasSigned = (): ReadAgain => new ReadAgain('Another notary has signed a checkpoint.', otherNotaryIntervals);
