import type { PackedEvents } from '@waymark/read-models/projection/packed.ts';
import type { SharedNumber } from '@waymark/threads/shared-number.ts';

/** The input of the thread that reads the log for a rebuild. */
export type ReaderData = {
  readonly log: string;
  /** The last position to read. */
  readonly through: number;
  /** The size of all batches that the rebuild has not applied yet. The reader adds to it, the rebuild subtracts from it. */
  readonly ahead: SharedNumber;
};

/** A message of this thread: the next events, and the position after them. */
export type LogBatch = { readonly packed: PackedEvents; readonly last: { readonly position: number; readonly event: string } };

/** The size at which the reader waits for the rebuild: about that many characters. One more batch may pass it. */
export const aheadMax = 4_000_000;

export const sizeOf = ({ events, texts }: PackedEvents): number => events + texts.length;
