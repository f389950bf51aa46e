import type { Namespace } from '@waymark/read-models/mongodb/namespace.ts';
import type { Binary, Collection } from 'mongodb';
import type { RootsState } from '../checkpoint-roots.ts';
import type { SignedCheckpoint } from '../proof-store.ts';

// Stored: never rename a field of these rows. Only strings, flags, bytes and numbers up to 2^53, which BSON does not change.

/** The prefix of the names of all collections. */
export const proofPrefix = 'proof.';

/** How far the store has the trees. There is one row; `position` is negative while a process clears the store, whose own name `incarnation`
 * then is. */
export type PositionRow = { readonly _id: 0; readonly incarnation: string; readonly position: number };

/** Nodes of an account's tree. `leaves`: see `tile-growth.ts`. */
export type TileRow = { readonly _id: string; readonly hashes: Binary; readonly leaves: string };

/** The places of a stream's events. */
export type PageRow = { readonly _id: string; readonly places: string };

/** `_id`: the sequence. `milestone`: whether it announces a key, or is the final one of a former origin. */
export type CheckpointRow = SignedCheckpoint & RootsState & { readonly _id: number; readonly milestone: boolean };

/** Roots that were stored with a checkpoint. */
export type RootsRow = { readonly _id: string; readonly roots: string };

export type Collections = {
  readonly position: Collection<PositionRow>;
  readonly tile: Collection<TileRow>;
  readonly page: Collection<PageRow>;
  readonly checkpoint: Collection<CheckpointRow>;
  readonly roots: Collection<RootsRow>;
};

export const proofCollections = ({ collection }: Namespace): Collections => ({
  position: collection('position'),
  tile: collection('tile'),
  page: collection('page'),
  checkpoint: collection('checkpoint'),
  roots: collection('roots'),
});

export const tileId = (account: string, level: number, index: number): string => `${account} ${level} ${index}`;
export const pageId = (account: string, stream: string, page: number): string => `${account} ${stream} ${page}`;
/** The ids of the roots of a checkpoint follow those of the checkpoints before. */
export const rootsId = (sequence: number, page: number): string => `${digits(sequence)} ${digits(page)}`;

const digits = (number: number): string => `${number}`.padStart(16, '0');
