import { Unavailable } from '@waymark/domain/unavailable.ts';

/** A checkpoint in a place. */
export type PublishedCheckpoint = { readonly number: number; readonly note: string };

/** A place outside the installation that keeps its checkpoints: each origin's under the numbers from 1 on, without gaps. A checkpoint there is
 * never replaced. What a place returns is input: another program may have written it. All functions throw PlaceUnavailable. */
export type CheckpointPlace = {
  /** The place for messages, without secrets. */
  readonly name: string;
  /** Returns the last checkpoint of an origin; undefined where the place has none.
   * @param from a number up to which the caller knows that the place has the checkpoints; fewer reads are needed then */
  readonly latest: (origin: string, from?: number) => Promise<PublishedCheckpoint | undefined>;
  /** Returns a signed note; undefined where the place does not have it. */
  readonly read: (origin: string, number: number) => Promise<string | undefined>;
  /** Keeps a note for good. Does nothing where the place has this note already.
   * @throws CheckpointTaken where it has another note under this number */
  readonly publish: (origin: string, number: number, note: string) => Promise<void>;
  readonly close: () => void;
};

/** A place does not exist, does not respond, or refuses its use. */
export class PlaceUnavailable extends Unavailable {}

/** A place has another checkpoint of this number. */
export class CheckpointTaken extends Error {}

/** Returns the code of an error of the network, or its name: its message may have the URL, which may hold a secret. */
export const reasonOf = (error: unknown): string => {
  const { code, cause, name } = error as NodeJS.ErrnoException & { readonly cause?: { readonly code?: string } };
  return cause?.code ?? code ?? name;
};
