/** The structure of the image is invalid. */
export class BrokenImage extends Error {}

/** Returns a range of the bytes.
 * @throws BrokenImage if the bytes end before the range does */
export const slice = (bytes: Buffer, from: number, to: number): Buffer => {
  if (from < 0 || to < from || to > bytes.length) throw new BrokenImage('The image ends too early.');
  return bytes.subarray(from, to);
};
