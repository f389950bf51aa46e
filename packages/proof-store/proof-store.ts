import { Unavailable } from '@waymark/domain/unavailable.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { AccountRoot } from '@waymark/proof/account-map.ts';
import type { CompleteSubtree } from '@waymark/proof/tree.ts';

/** The proof store is unavailable, or lacks what it must have: it is being filled. */
export class ProofsUnavailable extends Unavailable {}

/** The trees of all accounts and the signed checkpoints, computed from the log by the notary. Like every read side it is not trusted, and may be
 * wiped at any time: its position is then undefined, and the notary fills it from the start of the log again. */
export type ProofStore = ProofReads & ProofWrites;

/** How far a store has the trees. `incarnation`: that of the log. */
export type StorePosition = { readonly incarnation: string; readonly position: Position };

export type ProofWrites = {
  /** Returns undefined where nothing was applied since the store was created or cleared, and a position of no log after a clearing that was
   * interrupted: the store must be cleared then.
   * @throws ProofsUnavailable */
  readonly position: () => Promise<StorePosition | undefined>;
  /** Adds leaves and nodes and moves the position, in one transaction, if the position is `after` in the same log. Before the first growth
   * `after` is 0. Returns false if the position is another one, and then changes nothing. A store that lacks nodes is cleared, and returns
   * false, too.
   * @throws ProofsUnavailable: the growth may be stored or not; `position` shows it */
  readonly apply: (growth: Growth) => Promise<boolean>;
  /** Adds a checkpoint, in one transaction. Returns false, and changes nothing, if the store is not at or after `through` of the same log, or if
   * its last checkpoint is not the one before: of the same origin, the number before; otherwise of another origin, or none.
   * @throws ProofsUnavailable */
  readonly noteCheckpoint: (checkpoint: SignedCheckpoint, roots: readonly AccountRoot[]) => Promise<boolean>;
  /** Deletes everything. After a failure a part may be left: it is repeated.
   * @throws ProofsUnavailable */
  readonly clear: () => Promise<void>;
};

/** What the trees of accounts have got by the events of the log between two positions. */
export type Growth = {
  readonly incarnation: string;
  readonly after: Position;
  readonly to: Position;
  /** In ascending order of `index` for each account. */
  readonly leaves: readonly PlacedLeaf[];
  /** What `GrowingTree.append` has returned for these leaves, in that order. */
  readonly nodes: readonly AccountNode[];
};

/** The event of a leaf. `index`: the place in the account's tree. */
export type PlacedLeaf = { readonly account: string; readonly index: number; readonly stream: string; readonly revision: number };

export type AccountNode = CompleteSubtree & { readonly account: string };

/** A checkpoint as the stream `checkpoints` has it. */
export type SignedCheckpoint = {
  readonly origin: string;
  readonly number: number;
  /** The signed note. */
  readonly note: string;
  /** True if it announces a key. */
  readonly announces: boolean;
  /** The position of the log up to which the trees are covered, and the incarnation of that log: the one that the store is filled from, also for
   * a checkpoint of a former origin. */
  readonly incarnation: string;
  readonly through: Position;
};

/** A checkpoint in the store. `sequence`: its place among the checkpoints of all origins, from 1, without gaps. */
export type StoredCheckpoint = SignedCheckpoint & { readonly sequence: number };

/** Reads for proofs. A caller verifies each result: another process may clear the store between two reads. */
export type ProofReads = {
  /** Returns the last checkpoint.
   * @throws ProofsUnavailable */
  readonly latest: () => Promise<StoredCheckpoint | undefined>;
  /** Returns the checkpoints of an origin with these numbers, in ascending order, each once; those that the store lacks are left out.
   * @throws ProofsUnavailable */
  readonly checkpoints: (origin: string, numbers: readonly number[]) => Promise<readonly StoredCheckpoint[]>;
  /** Returns the checkpoints that announce a key, and the final ones of former origins, in order: the last `milestonesMax` of them.
   * @throws ProofsUnavailable */
  readonly milestones: () => Promise<readonly StoredCheckpoint[]>;
  /** Returns the roots of all accounts at a checkpoint, in any order; none where the store lacks it.
   * @throws ProofsUnavailable */
  readonly roots: (sequence: number) => Promise<readonly AccountRoot[]>;
  /** Returns tiles of an account's tree, in the order of the keys; undefined where the store has none.
   * @throws ProofsUnavailable */
  readonly tiles: (account: string, keys: readonly TileKey[]) => Promise<readonly (Buffer | undefined)[]>;
  /** Returns the events of an account's leaves from an index on, in order: at most `leavesMax`.
   * @throws ProofsUnavailable */
  readonly leaves: (account: string, from: number) => Promise<readonly PlacedLeaf[]>;
  /** Returns the leaves of a stream's events from a revision on, in order: at most `leavesMax`.
   * @throws ProofsUnavailable */
  readonly leavesOf: (account: string, stream: string, from: number) => Promise<readonly PlacedLeaf[]>;
};

/** A tile has the hashes of up to `tileNodes` neighbouring nodes of a level, one after the other. Only levels that are multiples of
 * `tileLevels` are stored; the hashes of the others are computed from them. */
export type TileKey = { readonly level: number; readonly index: number };

/** The levels of a tree that one level of tiles stands for. */
export const tileLevels = 6;
export const tileNodes = 2 ** tileLevels;
/** The number of leaves that one read returns at most. */
export const leavesMax = 4 * tileNodes;
/** The checkpoints that announce keys or end origins that one read returns at most: an export has as many of each at most. */
export const milestonesMax = 1_000;
