/** The image's structure does not hold together. */
export class BrokenImage extends Error {}

/** @throws BrokenImage where the bytes end before */
export const slice = (bytes: Buffer, from: number, to: number): Buffer => {
  if (from < 0 || to < from || to > bytes.length) throw new BrokenImage('The image ends too early.');
  return bytes.subarray(from, to);
};
