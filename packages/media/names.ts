import { mediaTypes } from './media.ts';

const extensions = Object.values(mediaTypes).join('|');
const shape = new RegExp(`^[0-9a-f]{32}\\.(${extensions})$`);
const typesByExtension = new Map(Object.entries(mediaTypes).map(([type, extension]) => [extension, type]));

/** The type that a file of this name has; undefined where it is no name of ours: only what passes here may become a path or a key. */
export const mediaTypeOf = (name: string): string | undefined => typesByExtension.get(shape.exec(name)?.[1] ?? '');

/** The type that a file is to be stored with. @throws RangeError where its name is none of ours, or where it has no bytes */
export const checkFile = (name: string, bytes: Uint8Array): string => {
  const type = mediaTypeOf(name);
  if (type === undefined) throw new RangeError('A media name is 32 hex digits and an extension that is taken.');
  if (bytes.length === 0) throw new RangeError('A media file has at least one byte.');
  return type;
};
