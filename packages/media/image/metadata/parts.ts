import { imagePartsMax } from '../../limits.ts';
import { BrokenImage } from './broken.ts';

/** Returns a function that counts one more part of an image: a chunk, a segment, a block or a box. Each takes time of the event loop.
 * @throws BrokenImage above the limit */
export const createPartCount = (): (() => void) => {
  let parts = 0;
  return () => {
    parts += 1;
    if (parts > imagePartsMax) throw new BrokenImage('An image has too many parts.');
  };
};
