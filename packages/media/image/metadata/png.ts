import { crc32 } from 'node:zlib';
import { BrokenImage, slice } from './broken.ts';
import { isEmpty, noExif, readExif, writeExif } from './exif.ts';
import { createPartCount } from './parts.ts';

const signatureBytes = 8;
/** Bytes of the length and the name before the data of a chunk. A checksum follows the data. */
const headBytes = 8;
const checksumBytes = 4;

/** Chunks that define how to decode and display the pixels. A PNG has at most one of each. */
const once = new Set(['IHDR', 'PLTE', 'tRNS', 'cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'cICP', 'mDCV', 'cLLI', 'bKGD', 'pHYs', 'acTL']);
/** Chunks of pixels and frames. A PNG may have several of each. */
const often = new Set(['IDAT', 'fcTL', 'fdAT']);

/** Removes the metadata of a PNG.
 * @throws BrokenImage */
export const cleanPng = (png: Buffer): Buffer => {
  const kept: Buffer[] = [slice(png, 0, signatureBytes)];
  const seen = new Set<string>();
  let exif = noExif;
  const count = createPartCount();
  let at = signatureBytes;
  for (let name = ''; name !== 'IEND'; ) {
    count();
    const head = slice(png, at, at + headBytes);
    name = head.toString('latin1', 4);
    const end = at + headBytes + head.readUInt32BE(0) + checksumBytes;
    const chunk = slice(png, at, end);
    if (seen.size === 0 && name !== 'IHDR') throw new BrokenImage('A PNG must begin with its header.');
    if (name === 'eXIf' && !seen.has(name)) exif = readExif(chunk.subarray(headBytes, -checksumBytes));
    if (often.has(name) || (once.has(name) && !seen.has(name))) kept.push(chunk);
    seen.add(name);
    at = end;
  }
  const [signature = Buffer.of(), header = Buffer.of(), ...rest] = kept;
  const written = isEmpty(exif) ? [] : [pngChunk('eXIf', writeExif(exif))];
  return Buffer.concat([signature, header, ...written, ...rest, pngChunk('IEND', Buffer.of())]);
};

const pngChunk = (name: string, data: Buffer): Buffer => {
  const bytes = Buffer.alloc(headBytes + data.length + checksumBytes);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, 'latin1');
  bytes.set(data, headBytes);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, headBytes + data.length)), headBytes + data.length);
  return bytes;
};
