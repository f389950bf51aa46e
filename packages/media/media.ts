import { Unavailable } from '@waymark/domain/unavailable.ts';
/** The media store is away or full. */
export class MediaUnavailable extends Unavailable {}

/** Other bytes are stored under this name. */
export class MediaNameTaken extends Error {}

export type MediaObject = {
  /** Media type that it was stored with. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** Bytes of its largest piece: `pieceBytesMax` at most. */
  readonly pieceBytes: number;
  /** Its bytes, from the first one on, piece by piece. Each is read from the store when it is asked for, and nothing
   * ahead of it; the store's time-out counts only while it is asked. Ends after `size` bytes, or throws.
   * @param signal ends a question to the store that is under way @throws MediaUnavailable */
  readonly content: (signal?: AbortSignal) => AsyncIterable<Uint8Array>;
};

/** A listing's entry. */
export type MediaEntry = { readonly name: string /** When it was stored: milliseconds since the epoch. */; readonly storedAtMs: number };

/** Files under random names: immutable, never overwritten. An adapter keeps the name of an erased file by an empty one: no other file is empty. */
export type Media = {
  /** Durable when it resolves. The name is 32 hex digits and an extension of `mediaTypes`. The same bytes again are no error; other bytes
   * under a name that is taken are, and change nothing. @throws MediaUnavailable, MediaNameTaken, RangeError for another kind of name, or no bytes */
  readonly put: (name: string, bytes: Uint8Array) => Promise<void>;
  /** Undefined where nothing is stored under the name, whatever it looks like. @throws MediaUnavailable */
  readonly get: (name: string) => Promise<MediaObject | 'erased' | undefined>;
  /** Removes what is stored under the name, if anything is, and keeps the name: nothing can be stored under it again. @throws MediaUnavailable */
  readonly erase: (name: string) => Promise<void>;
  /** As if it had never been stored. Removing what is not there has no effect. @throws MediaUnavailable */
  readonly remove: (name: string) => Promise<void>;
  /** Every stored file, in no order; none that was erased. @throws MediaUnavailable */
  readonly list: () => AsyncIterable<MediaEntry>;
};

/** A store that is reached over a network. */
export type RemoteMedia = Media & {
  /** Whether the store answers and takes our credentials. @throws MediaUnavailable */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The image types that are taken, and the extension that each is stored with. */
export const mediaTypes: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
};

/** Decoded. */
export const fileBytesMax = 5 * 1024 * 1024;
