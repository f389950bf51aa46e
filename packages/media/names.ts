import { mediaTypes } from './media.ts';

const extensions = Object.values(mediaTypes).join('|');
const shape = new RegExp(`^[0-9a-f]{32}\\.(${extensions})$`);
const typesByExtension = new Map(Object.entries(mediaTypes).map(([type, extension]) => [extension, type]));

/** Returns the media type of a file of this name; undefined if it is not a valid media name. Only names that pass this check may become a
 * path or a key. */
export const mediaTypeOf = (name: string): string | undefined => typesByExtension.get(shape.exec(name)?.[1] ?? '');

/** Returns the type to store a file with.
 * @throws RangeError if the name is not a valid media name, or if there are no bytes */
export const checkFile = (name: string, bytes: Uint8Array): string => {
  const type = mediaTypeOf(name);
  if (type === undefined) throw new RangeError('A media name must consist of 32 hex digits and an accepted extension.');
  if (bytes.length === 0) throw new RangeError('A media file must have at least one byte.');
  return type;
};
