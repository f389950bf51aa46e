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

/** An image without what decoding, colour, animation and transparency do not need: no place, camera, name, comment or thumbnail, and nothing behind
 * its end. Pixels are not decoded, and stay byte for byte. Orientation and copyright are written anew. The same bytes always give the same.
 * @returns undefined where the image's structure does not hold together */
export const withoutMetadata = (bytes: Buffer, type: string): Buffer | undefined => {
  try {
    return cleaners[type]?.(bytes);
  } catch (error) {
    if (error instanceof BrokenImage) return undefined;
    throw error;
  }
};
