import { BrokenImage, slice } from './broken.ts';

/** A box of an ISO base media file: where it is in the file, and where its content is. */
export type Box = { readonly type: string; readonly start: number; readonly from: number; readonly to: number };

const headBytes = 8;
const longHeadBytes = 16;
/** Its version and flags stand before the content of a full box. */
export const fullHeadBytes = 4;

/** The boxes that follow each other in a part of the file. @throws BrokenImage where one is larger than the part */
export const boxesIn = (file: Buffer, from: number, to: number): readonly Box[] => {
  const boxes: Box[] = [];
  for (let at = from; at < to; ) {
    const box = boxAt(file, at, to);
    boxes.push(box);
    at = box.to;
  }
  return boxes;
};

/** @throws BrokenImage where it is larger than the part of the file that it is in */
export const boxAt = (file: Buffer, start: number, end: number): Box => {
  const head = slice(file, start, start + headBytes);
  const type = head.toString('latin1', 4, 8);
  const size = head.readUInt32BE(0);
  // 1: a longer size follows; 0: it goes on to the end.
  const from = start + (size === 1 ? longHeadBytes : headBytes);
  let to = start + size;
  if (size === 0) to = end;
  if (size === 1) to = start + Number(slice(file, start + headBytes, from).readBigUInt64BE(0));
  if (to < from || to > end) throw new BrokenImage('A box does not fit into what it is in.');
  return { type, start, from, to };
};

/** Of the boxes of a type there must be one. @throws BrokenImage */
export const theOne = (boxes: readonly Box[], type: string): Box => {
  const [found, another] = boxes.filter((box) => box.type === type);
  if (found === undefined || another !== undefined) throw new BrokenImage(`There is no ${type}, or more than one.`);
  return found;
};

/** Makes a box one that is passed over, and its content zeros: nothing behind it moves. */
export const blank = (file: Buffer, { start, from, to }: Box): void => {
  file.write('free', start + 4, 'latin1');
  file.fill(0, from, to);
};
