import type { KnownFacts } from './facts.ts';

/** The reads from which facts are made, and with which they are compared. All throw LogUnavailable. */
export type KnownLog = {
  /** Returns the facts of all that the log has acknowledged by now. */
  readonly facts: () => Promise<KnownFacts>;
  /** Returns the former incarnations of the log, and those that a renewal has set aside. They change only together with the log's name. */
  readonly formerNames: () => Promise<readonly string[]>;
  /** Returns the id of the event at a revision of a stream: empty where the log has none, undefined where it was dropped. */
  readonly eventAt: (stream: string, revision: number) => Promise<string | undefined>;
};
