/** A summary of the events whose content was erased. The event that follows them contains it. Stored in events: never rename a field. */
export type ErasureSummary = {
  /** The number of these events: all events of the stream before the one that contains the summary. */
  readonly count: number;
  /** SHA-256, in hex, over the remains of each event in their order; see EVENTS.md. */
  readonly digest: string;
};
