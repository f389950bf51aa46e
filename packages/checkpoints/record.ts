import type { AccountRoot } from '@waymark/proof/account-map.ts';

/** A checkpoint, as its notary knows it. */
export type KnownCheckpoint = {
  readonly origin: string;
  readonly number: number;
  /** See `checkpointDigest`. */
  readonly digest: string;
  /** The signed note. */
  readonly note: string;
};

/** The notary's own record: what it signed last, outside the log and its store. Everything is durable when a function returns. Its functions
 * throw the error of the store. */
export type NotaryRecord = {
  /** Returns the last checkpoint; undefined in a new record. */
  readonly last: () => KnownCheckpoint | undefined;
  /** Returns the checkpoint that the notary was about to append; undefined in a new record. */
  readonly intended: () => KnownCheckpoint | undefined;
  readonly intend: (next: KnownCheckpoint) => void;
  /** Returns size and root of each account at the last checkpoint. */
  readonly roots: () => readonly AccountRoot[];
  /** Returns the verifier keys that the notary had, as text. */
  readonly keys: () => readonly string[];
  /** Replaces the last checkpoint, and the roots of the accounts that have grown. */
  readonly keep: (last: KnownCheckpoint, grown: readonly AccountRoot[]) => void;
  /** Replaces the last checkpoint, and the roots of all accounts. */
  readonly replace: (last: KnownCheckpoint, roots: readonly AccountRoot[]) => void;
  readonly keepKey: (key: string) => void;
  /** Returns the number up to which a place has an origin's checkpoints, as far as the notary knows; 0 for an unknown place. */
  readonly published: (place: string, origin: string) => number;
  readonly keepPublished: (place: string, origin: string, number: number) => void;
  readonly close: () => void;
};
