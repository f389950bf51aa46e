/** A store does not answer: the base of each port's own error. */
export class Unavailable extends Error {
  /** Whether what was asked of it may have happened all the same. */
  readonly isUndecided: boolean = false;
}
