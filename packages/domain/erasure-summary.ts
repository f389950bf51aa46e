/** What is left of events whose content was erased, as the event that follows them names it. Stored in events: never rename a field. */
export type ErasureSummary = {
  /** How many there are: all that the stream has before the naming one. */
  readonly count: number;
  /** SHA-256, hex, over what is left of each in their order, see EVENTS.md. */
  readonly digest: string;
};
