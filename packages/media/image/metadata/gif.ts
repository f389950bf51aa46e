import { BrokenImage, slice } from './broken.ts';
import { createPartCount } from './parts.ts';

const screenBytes = 13;
const descriptorBytes = 10;
const extension = 0x21;
const image = 0x2c;
const trailer = 0x3b;
const graphicControl = 0xf9;
const application = 0xff;
const plainText = 0x01;
/** Bytes of the introducer, label, size and name of an application extension. */
const applicationBytes = 14;
/** Sizes of the blocks of a loop extension: the number of repetitions, and the size of the buffer. */
const loopBlockBytes = new Set([3, 5]);

/** Removes the metadata of a GIF. A GIF without its trailer is kept up to its end, because programs display it.
 * @throws BrokenImage */
export const cleanGif = (gif: Buffer): Buffer => {
  const screen = slice(gif, 0, screenBytes);
  let at = screenBytes + tableBytes(screen[10] ?? 0);
  const kept: Buffer[] = [slice(gif, 0, at)];
  /** The control block of the next image or text. */
  let control: Buffer | undefined;
  const count = createPartCount();
  while (at < gif.length) {
    count();
    const introducer = gif[at];
    if (introducer === trailer) {
      kept.push(Buffer.of(trailer));
      break;
    }
    const end = introducer === image ? endOfImage(gif, at) : endOfExtension(gif, at);
    const block = gif.subarray(at, end);
    at = end;
    if (introducer === image) {
      kept.push(...(control === undefined ? [] : [control]), block);
      control = undefined;
    } else if (block[1] === graphicControl) control = block;
    else if (block[1] === plainText) control = undefined;
    else if (block[1] === application) kept.push(ofApplication(block));
  }
  return Buffer.concat(kept);
};

/** Returns the size of the colour table that the flags of a descriptor announce. */
const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

const endOfImage = (gif: Buffer, begin: number): number => {
  const descriptor = slice(gif, begin, begin + descriptorBytes);
  // One byte with the initial code size precedes the blocks.
  return endOfBlocks(gif, begin + descriptorBytes + tableBytes(descriptor[9] ?? 0) + 1);
};

const endOfExtension = (gif: Buffer, begin: number): number => {
  if (gif[begin] !== extension) throw new BrokenImage('A GIF has no valid block at this place.');
  return endOfBlocks(gif, begin + 2);
};

/** Returns the offset behind the empty block that ends a series of blocks. */
const endOfBlocks = (gif: Buffer, begin: number): number => {
  for (let at = begin; ; ) {
    const size = gif[at];
    if (size === undefined) throw new BrokenImage('The image ends too early.');
    at += 1 + size;
    if (size === 0) return at;
  }
};

/** Returns an application extension if animation or colour needs it; otherwise nothing. */
const ofApplication = (block: Buffer): Buffer => {
  const name = block.toString('latin1', 3, applicationBytes);
  if (name === 'ICCRGBG1012') return block;
  if (name !== 'NETSCAPE2.0' && name !== 'ANIMEXTS1.0') return Buffer.of();
  const blocks: Buffer[] = [];
  for (let at = applicationBytes; ; ) {
    const size = block[at] ?? 0;
    if (size === 0) break;
    if (loopBlockBytes.has(size)) blocks.push(block.subarray(at, at + 1 + size));
    at += 1 + size;
  }
  return Buffer.concat([block.subarray(0, applicationBytes), ...blocks, Buffer.of(0)]);
};
