import { BrokenImage, slice } from './broken.ts';
import { isEmpty, noExif, readExif, writeExif } from './exif.ts';
import { createPartCount } from './parts.ts';

/** Bytes of `RIFF`, a length and `WEBP`. */
const fileHeadBytes = 12;
const chunkHeadBytes = 8;
/** Bytes in a frame of an animation before its chunks. */
const frameHeadBytes = 16;
const exifFlag = 0x08;
const xmpFlag = 0x04;

const ofPixels = new Set(['VP8 ', 'VP8L', 'ALPH']);
const once = new Set(['ICCP', 'ANIM']);

type Chunk = { readonly name: string; readonly data: Buffer };

/** Removes the metadata of a WebP.
 * @throws BrokenImage */
export const cleanWebp = (webp: Buffer): Buffer => {
  const head = slice(webp, 0, fileHeadBytes);
  const count = createPartCount();
  const chunks = chunksOf(slice(webp, fileHeadBytes, head.readUInt32LE(4) + 8), count);
  const [first] = chunks;
  const extended = first?.name === 'VP8X' ? first : undefined;
  const found = extended && chunks.find(({ name }) => name === 'EXIF');
  const exif = found === undefined ? noExif : readExif(found.data);
  const seen = new Set<string>();
  const kept = chunks.flatMap((one) => {
    const isFirst = !seen.has(one.name);
    seen.add(one.name);
    if (one === extended) return [{ name: one.name, data: withFlags(one.data, !isEmpty(exif)) }];
    if (one.name === 'ANMF') return [{ name: one.name, data: cleanFrame(one.data, count) }];
    return ofPixels.has(one.name) || (once.has(one.name) && isFirst) ? [one] : [];
  });
  if (!isEmpty(exif)) kept.push({ name: 'EXIF', data: writeExif(exif) });
  const body = Buffer.concat([Buffer.from('WEBP'), ...kept.map(written)]);
  return Buffer.concat([Buffer.from('RIFF'), length(body.length), body]);
};

/** Returns the chunks of a file or a frame.
 * @throws BrokenImage */
const chunksOf = (bytes: Buffer, count: () => void): readonly Chunk[] => {
  const chunks: Chunk[] = [];
  for (let at = 0; at < bytes.length; ) {
    count();
    const head = slice(bytes, at, at + chunkHeadBytes);
    const size = head.readUInt32LE(4);
    const from = at + chunkHeadBytes;
    chunks.push({ name: head.toString('latin1', 0, 4), data: slice(bytes, from, from + size) });
    // Chunks begin at even offsets; the padding of the last one may be missing.
    at = from + size + (size % 2);
  }
  return chunks;
};

const cleanFrame = (data: Buffer, count: () => void): Buffer => {
  const chunks = chunksOf(slice(data, frameHeadBytes, data.length), count).filter(({ name }) => ofPixels.has(name));
  return Buffer.concat([data.subarray(0, frameHeadBytes), ...chunks.map(written)]);
};

const withFlags = (data: Buffer, hasExif: boolean): Buffer => {
  if (data.length < 1) throw new BrokenImage('The header of a WebP has no flags.');
  const copy = Buffer.from(data);
  copy[0] = ((copy[0] ?? 0) & ~(exifFlag | xmpFlag)) | (hasExif ? exifFlag : 0);
  return copy;
};

const length = (bytes: number): Buffer => {
  const written = Buffer.alloc(4);
  written.writeUInt32LE(bytes);
  return written;
};

const written = ({ name, data }: Chunk): Buffer =>
  Buffer.concat([Buffer.from(name, 'latin1'), length(data.length), data, Buffer.alloc(data.length % 2)]);
