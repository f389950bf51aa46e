import type { KnownFacts } from './facts.ts';

/** What facts are made of, and compared with. All throw LogUnavailable. */
export type KnownLog = {
  /** Of what the log has acknowledged by now. */
  readonly facts: () => Promise<KnownFacts>;
  /** The names that the log had before, and those that a renewal has put aside. They change only together with the log's name. */
  readonly formerNames: () => Promise<readonly string[]>;
  /** Id of the event at a revision of a stream: empty where the log has none, undefined where it was dropped. */
  readonly eventAt: (stream: string, revision: number) => Promise<string | undefined>;
};
