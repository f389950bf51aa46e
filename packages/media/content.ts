import { type Media, type MediaObject, MediaUnavailable } from './media.ts';

/** Yields the pieces of a file as they arrive.
 * @throws MediaUnavailable if the pieces end before `size` or exceed it; the reason of the signal once that aborts */
export async function* verifiedContent(size: number, pieces: AsyncIterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const piece of pieces) {
    signal?.throwIfAborted();
    read += piece.length;
    if (read > size) throw incomplete();
    yield piece;
  }
  if (read < size) throw incomplete();
}

const incomplete = (): MediaUnavailable => new MediaUnavailable('A stored file does not have the expected size.');

/** Returns all bytes of a file: at most `fileBytesMax`.
 * @throws MediaUnavailable */
export const bytesOf = async ({ content }: MediaObject): Promise<Buffer> => Buffer.concat(await collectPieces(content()));

/** Reads all pieces of a content. */
export const collectPieces = async (content: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return pieces;
};

/** Returns a stored file; undefined if none has this name, or if the file was erased.
 * @throws MediaUnavailable */
export const storedFile = async (media: Media, name: string): Promise<MediaObject | undefined> => {
  const found = await media.get(name);
  return found === 'erased' ? undefined : found;
};

/** Returns all bytes of a stored file; undefined if none has this name, or if the file was erased.
 * @throws MediaUnavailable */
export const storedBytes = async (media: Media, name: string): Promise<Buffer | undefined> => {
  const found = await storedFile(media, name);
  return found && bytesOf(found);
};
