/** What a check of a log has found, as sentences. */
export type CheckedLog = {
  readonly faults: readonly string[];
  /** Where a clock was set back. The log is sound nevertheless. */
  readonly clocks: readonly string[];
};
