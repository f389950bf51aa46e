/** A store does not respond. It is the base class of each port's own error. */
export class Unavailable extends Error {
  /** Whether the failed request may have taken effect nevertheless. */
  readonly isUndecided: boolean = false;
}
