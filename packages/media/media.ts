import { Unavailable } from '@waymark/domain/unavailable.ts';
/** The media store is unavailable or full. */
export class MediaUnavailable extends Unavailable {}

/** Other bytes are stored under this name. */
export class MediaNameTaken extends Error {}

export type MediaObject = {
  /** The media type with which the file was stored. */
  readonly type: string;
  /** The size in bytes. */
  readonly size: number;
  /** The size of the largest piece in bytes: at most `pieceBytesMax`. */
  readonly pieceBytes: number;
  /** Yields the bytes from the first one on, piece by piece. Each piece is read from the store when the reader requests it, never ahead;
   * the time-out of the store covers only the time of a read. Ends after `size` bytes, or throws.
   * @param signal cancels a read in progress
   * @throws MediaUnavailable */
  readonly content: (signal?: AbortSignal) => AsyncIterable<Uint8Array>;
};

/** An entry of a listing. */
export type MediaEntry = {
  readonly name: string;
  /** Whether the entry is a mark: the name of an erased file. */
  readonly erased: boolean;
  /** The time when the file was stored or erased, in milliseconds since the epoch. */
  readonly storedAtMs: number;
};

/** A store of immutable files under random names. A file is never overwritten. An adapter keeps the name of an erased file as an empty
 * file: no other file is empty. */
export type Media = {
  /** Stores a file; it is durable when the promise resolves. The name is 32 hex digits and an extension of `mediaTypes`. Storing the same
   * bytes again succeeds. Storing other bytes under a taken name fails and changes nothing.
   * @throws MediaUnavailable, MediaNameTaken, RangeError if the name has another form or there are no bytes */
  readonly put: (name: string, bytes: Uint8Array) => Promise<void>;
  /** Returns undefined if nothing is stored under the name, even if the name has another form.
   * @throws MediaUnavailable */
  readonly get: (name: string) => Promise<MediaObject | 'erased' | undefined>;
  /** Removes the file, if there is one, and reserves its name: nothing can be stored under it again.
   * @throws MediaUnavailable */
  readonly erase: (name: string) => Promise<void>;
  /** Removes the file and releases its name. Has no effect if nothing is stored.
   * @throws MediaUnavailable */
  readonly remove: (name: string) => Promise<void>;
  /** Lists every stored file, and every erased one, in no particular order.
   * @throws MediaUnavailable */
  readonly list: () => AsyncIterable<MediaEntry>;
};

/** A store that is accessed over a network. */
export type RemoteMedia = Media & {
  /** Checks that the store answers and accepts the credentials.
   * @throws MediaUnavailable */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The accepted image types, and the file extension of each. */
export const mediaTypes: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
};

/** Largest size of a file in bytes, after decoding the upload. */
export const fileBytesMax = 5 * 1024 * 1024;
