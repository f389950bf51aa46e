import { BrokenImage, slice } from './broken.ts';
import { createPartCount } from './parts.ts';

/** A box of an ISO base media file: the offset of the box in the file, and the range of its content. */
export type Box = { readonly type: string; readonly start: number; readonly from: number; readonly to: number };

const headBytes = 8;
const longHeadBytes = 16;
/** Bytes of version and flags before the content of a full box. */
export const fullHeadBytes = 4;

/** Returns the consecutive boxes in a part of the file.
 * @throws BrokenImage if one is larger than the part */
export const boxesIn = (file: Buffer, from: number, to: number): readonly Box[] => {
  const boxes: Box[] = [];
  const count = createPartCount();
  for (let at = from; at < to; ) {
    count();
    const box = boxAt(file, at, to);
    boxes.push(box);
    at = box.to;
  }
  return boxes;
};

/** Reads the box at an offset.
 * @throws BrokenImage if the box is larger than the part of the file that contains it */
export const boxAt = (file: Buffer, start: number, end: number): Box => {
  const head = slice(file, start, start + headBytes);
  const type = head.toString('latin1', 4, 8);
  const size = head.readUInt32BE(0);
  // 1: a 64-bit size follows; 0: the box extends to the end.
  const from = start + (size === 1 ? longHeadBytes : headBytes);
  let to = start + size;
  if (size === 0) to = end;
  if (size === 1) to = start + Number(slice(file, start + headBytes, from).readBigUInt64BE(0));
  if (to < from || to > end) throw new BrokenImage('A box is larger than its container.');
  return { type, start, from, to };
};

/** Returns the only box of a type.
 * @throws BrokenImage if there is none or more than one */
export const onlyBox = (boxes: readonly Box[], type: string): Box => {
  const [found, another] = boxes.filter((box) => box.type === type);
  if (found === undefined || another !== undefined) throw new BrokenImage(`There is no ${type}, or more than one.`);
  return found;
};

/** Turns a box into a `free` box, which readers skip, and fills its content with zeros. No later byte moves. */
export const blank = (file: Buffer, { start, from, to }: Box): void => {
  file.write('free', start + 4, 'latin1');
  file.fill(0, from, to);
};
