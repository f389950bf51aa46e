import { avifExtentsMax, avifItemsMax } from '../../limits.ts';
import { type Box, boxesIn, fullHeadBytes } from './avif-boxes.ts';
import { BrokenImage, slice } from './broken.ts';

/** A piece of an item: a range of the file or, if `inside`, a range in the content of `idat`. */
export type Extent = { readonly inside: boolean; readonly from: number; readonly to: number };
export type Item = { readonly id: number; readonly extents: readonly Extent[] };

/** Reads consecutive numbers of the content of a box.
 * @throws BrokenImage if the box ends early */
const reader = (file: Buffer, { from, to }: Box) => {
  let at = from;
  return (bytes: number): number => {
    if (bytes === 0) return 0;
    if (at + bytes > to) throw new BrokenImage('A box ends too early.');
    const number = bytes === 8 ? Number(slice(file, at, at + 8).readBigUInt64BE(0)) : slice(file, at, at + bytes).readUIntBE(0, bytes);
    at += bytes;
    return number;
  };
};

const sizes = new Set([0, 4, 8]);

/** Returns the location of each item from `iloc`.
 * @throws BrokenImage */
export const locationsIn = (file: Buffer, iloc: Box): readonly Item[] => {
  const next = reader(file, iloc);
  const version = next(1);
  next(3);
  const [offsetAndLength, baseAndIndex] = [next(1), next(1)];
  const [offsetBytes, lengthBytes, baseBytes, indexBytes] = [
    offsetAndLength >> 4,
    offsetAndLength & 15,
    baseAndIndex >> 4,
    baseAndIndex & 15,
  ];
  const wide = version === 2 ? 4 : 2;
  const count = next(wide);
  if (version > 2 || count > avifItemsMax || ![offsetBytes, lengthBytes, baseBytes, indexBytes].every((bytes) => sizes.has(bytes)))
    throw new BrokenImage('The item locations have an unknown format.');
  let extentsLeft = avifExtentsMax;
  return Array.from({ length: count }, () => {
    const id = next(wide);
    const method = version === 0 ? 0 : next(2) & 15;
    // The format allows items in another file or in another item; such images are not accepted.
    if (next(2) !== 0 || method > 1) throw new BrokenImage('An item is in another file or in another item.');
    const base = next(baseBytes);
    const pieces = next(2);
    extentsLeft -= pieces;
    if (extentsLeft < 0) throw new BrokenImage('An image has too many pieces.');
    const extents = Array.from({ length: pieces }, () => {
      if (version > 0) next(indexBytes);
      const from = base + next(offsetBytes);
      return { inside: method === 1, from, to: from + next(lengthBytes) };
    });
    return { id, extents };
  });
};

/** Returns the type of each item from `iinf`.
 * @throws BrokenImage */
export const typesIn = (file: Buffer, iinf: Box): ReadonlyMap<number, string> => {
  const version = slice(file, iinf.from, iinf.from + fullHeadBytes)[0];
  const entries = boxesIn(file, iinf.from + fullHeadBytes + (version === 0 ? 2 : 4), iinf.to);
  if (entries.length > avifItemsMax) throw new BrokenImage('An image has too many items.');
  return new Map(
    entries.map((entry): [number, string] => {
      const next = reader(file, entry);
      const [entryVersion] = [next(1), next(3)];
      if (entry.type !== 'infe' || (entryVersion !== 2 && entryVersion !== 3)) throw new BrokenImage('An item has no type.');
      const [id] = [next(entryVersion === 2 ? 2 : 4), next(2)];
      return [id, Buffer.of(next(1), next(1), next(1), next(1)).toString('latin1')];
    }),
  );
};
