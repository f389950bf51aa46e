import { copyrightBytesMax, exifEntriesMax } from '../../limits.ts';

/** The part of the EXIF of an image that is kept: orientation and copyright. */
export type Exif = {
  /** 1 to 8; 1: not rotated. */
  readonly orientation: number;
  /** The bytes of the tag, including the closing NUL; empty: no copyright. */
  readonly copyright: Buffer;
};

export const noExif: Exif = { orientation: 1, copyright: Buffer.of() };

const orientationTag = 0x0112;
const copyrightTag = 0x8298;
const asciiType = 2;
const shortType = 3;
const headerBytes = 8;
const entryBytes = 12;
/** Bytes of the value in an entry; a longer value is stored elsewhere in the block. */
const inlineBytes = 4;
/** The prefix that JPEG, and some writers of other formats, put before the EXIF. */
const prefix = Buffer.from('Exif\0\0');

type Numbers = { readonly short: (at: number) => number; readonly long: (at: number) => number };

/** Reads an EXIF block, with or without its prefix. Parts that cannot be read count as absent. */
export const readExif = (block: Buffer): Exif => {
  const tiff = block.subarray(0, prefix.length).equals(prefix) ? block.subarray(prefix.length) : block;
  const numbers = numbersOf(tiff);
  if (numbers === undefined) return noExif;
  const { short, long } = numbers;
  const directory = long(inlineBytes);
  if (directory + 2 > tiff.length) return noExif;
  const count = Math.min(short(directory), exifEntriesMax);
  let { orientation, copyright } = noExif;
  for (let nth = 0, at = directory + 2; nth < count && at + entryBytes <= tiff.length; nth += 1, at += entryBytes) {
    const [tag, type, length] = [short(at), short(at + 2), long(at + 4)];
    if (tag === orientationTag && type === shortType && length === 1) orientation = short(at + 8);
    if (tag === copyrightTag && type === asciiType && length > 0 && length <= copyrightBytesMax) {
      const from = length <= inlineBytes ? at + 8 : long(at + 8);
      const text = terminated(tiff.subarray(from, from + length));
      if (text.length <= copyrightBytesMax) copyright = text;
    }
  }
  return { orientation: orientation >= 1 && orientation <= 8 ? orientation : 1, copyright };
};

/** Returns functions that read numbers in the byte order of the block. */
const numbersOf = (tiff: Buffer): Numbers | undefined => {
  if (tiff.length < headerBytes) return undefined;
  const mark = tiff.toString('latin1', 0, 4);
  if (mark === 'MM\0*') return { short: (at) => tiff.readUInt16BE(at), long: (at) => tiff.readUInt32BE(at) };
  if (mark === 'II*\0') return { short: (at) => tiff.readUInt16LE(at), long: (at) => tiff.readUInt32LE(at) };
  return undefined;
};

const terminated = (text: Buffer): Buffer => {
  const end = text.findLastIndex((byte) => byte !== 0) + 1;
  return end === 0 ? noExif.copyright : Buffer.concat([text.subarray(0, end), Buffer.of(0)]);
};

export const isEmpty = ({ orientation, copyright }: Exif): boolean => orientation === 1 && copyright.length === 0;

/** Returns a new EXIF block, without a prefix, with these two values only. */
export const writeExif = ({ orientation, copyright }: Exif): Buffer => {
  const entries = [
    ...(orientation === 1 ? [] : [entry(orientationTag, shortType, 1, short(orientation))]),
    ...(copyright.length === 0 ? [] : [copyrightEntry(copyright, orientation === 1 ? 1 : 2)]),
  ];
  const elsewhere = copyright.length > inlineBytes ? copyright : Buffer.of();
  return Buffer.concat([Buffer.from('MM\0*'), long(headerBytes), short(entries.length), ...entries, long(0), elsewhere]);
};

const copyrightEntry = (copyright: Buffer, entries: number): Buffer =>
  entry(
    copyrightTag,
    asciiType,
    copyright.length,
    copyright.length > inlineBytes ? long(headerBytes + 2 + entries * entryBytes + 4) : copyright,
  );

const entry = (tag: number, type: number, length: number, value: Buffer): Buffer =>
  Buffer.concat([short(tag), short(type), long(length), value, Buffer.alloc(inlineBytes - value.length)]);

const short = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};

const long = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
