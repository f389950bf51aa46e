import { cleanAvif } from './avif.ts';
import { BrokenImage } from './broken.ts';
import { cleanGif } from './gif.ts';
import { cleanJpeg } from './jpeg.ts';
import { cleanPng } from './png.ts';
import { cleanWebp } from './webp.ts';

const cleaners: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'image/png': cleanPng,
  'image/jpeg': cleanJpeg,
  'image/gif': cleanGif,
  'image/webp': cleanWebp,
  'image/avif': cleanAvif,
};

/** Removes everything that decoding, colour, animation and transparency do not need: location, camera, name, comment, thumbnail, and data
 * behind the end. Pixels are not decoded and stay unchanged byte for byte. Orientation and copyright are written in a new block. The same
 * bytes always give the same result.
 * @returns undefined if the structure of the image is invalid */
export const withoutMetadata = (bytes: Buffer, type: string): Buffer | undefined => {
  try {
    return cleaners[type]?.(bytes);
  } catch (error) {
    if (error instanceof BrokenImage) return undefined;
    throw error;
  }
};
