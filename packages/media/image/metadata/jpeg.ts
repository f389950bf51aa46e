import { BrokenImage, slice } from './broken.ts';
import { isEmpty, noExif, readExif, writeExif } from './exif.ts';
import { createPartCount } from './parts.ts';

const startOfImage = 0xd8;
const endOfImage = 0xd9;
const startOfScan = 0xda;
const app0 = 0xe0;
const app1 = 0xe1;
const app2 = 0xe2;
const app14 = 0xee;

/** Whether decoding needs the segment: frames (SOF), tables, restart intervals, numbers of lines, scans, and segments of hierarchical
 * images. */
const isOfDecoding = (marker: number): boolean =>
  (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) || (marker >= 0xda && marker <= 0xdf);
/** Whether the marker has no length. */
const isAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);

const exifName = Buffer.from('Exif\0\0');
const jfifBytes = 14;

/** Removes the metadata of a JPEG. A JPEG without its end marker is kept up to its end, because programs display it.
 * @throws BrokenImage */
export const cleanJpeg = (jpeg: Buffer): Buffer => {
  const start = Buffer.of(0xff, startOfImage);
  if (!slice(jpeg, 0, 2).equals(start)) throw new BrokenImage('A JPEG must begin with its start marker.');
  let jfif: Buffer | undefined;
  let exif = noExif;
  const kept: Buffer[] = [];
  const count = createPartCount();
  for (let at = 2; at < jpeg.length; ) {
    count();
    const { marker, from, to } = nextSegment(jpeg, at);
    at = to;
    if (marker === endOfImage) {
      kept.push(Buffer.of(0xff, endOfImage));
      break;
    }
    const data = jpeg.subarray(from + 2, to);
    if (marker === app0 && isNamed(data, 'JFIF\0') && data.length >= jfifBytes) jfif ??= segment(app0, withoutThumbnail(data));
    else if (marker === app1 && isNamed(data, 'Exif\0')) exif = isEmpty(exif) ? readExif(data) : exif;
    else if ((marker === app2 && isNamed(data, 'ICC_PROFILE\0')) || (marker === app14 && isNamed(data, 'Adobe'))) {
      kept.push(segment(marker, data));
    } else if (isOfDecoding(marker)) kept.push(segment(marker, data));
    if (marker === startOfScan) {
      const end = endOfScan(jpeg, at);
      kept.push(jpeg.subarray(at, end));
      at = end;
    }
  }
  const written = isEmpty(exif) ? [] : [segment(app1, Buffer.concat([exifName, writeExif(exif)]))];
  return Buffer.concat([start, ...(jfif === undefined ? [] : [jfif]), ...written, ...kept]);
};

type Segment = {
  readonly marker: number;
  /** The offset of the length field; the same as `to` if the marker has none. */
  readonly from: number;
  readonly to: number;
};

/** Reads the next segment.
 * @throws BrokenImage */
const nextSegment = (jpeg: Buffer, begin: number): Segment => {
  let at = begin;
  // Any number of fill bytes may stand before a marker.
  while (jpeg[at] === 0xff && jpeg[at + 1] === 0xff) at += 1;
  const [first, marker = 0] = slice(jpeg, at, at + 2);
  if (first !== 0xff || marker === 0x00) throw new BrokenImage('A JPEG has no marker where one is expected.');
  const from = at + 2;
  if (marker === endOfImage || isAlone(marker)) return { marker, from, to: from };
  const length = slice(jpeg, from, from + 2).readUInt16BE(0);
  if (length < 2) throw new BrokenImage('A segment has an invalid length.');
  slice(jpeg, from, from + length);
  return { marker, from, to: from + length };
};

/** Returns the offset of the next marker that is not part of the scan data; the end of the bytes if there is none. */
const endOfScan = (jpeg: Buffer, begin: number): number => {
  for (let at = jpeg.indexOf(0xff, begin); at >= 0; at = jpeg.indexOf(0xff, at + 1)) {
    const next = jpeg[at + 1];
    if (next === undefined) return jpeg.length;
    const isData = next === 0x00 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!isData) return at;
  }
  return jpeg.length;
};

const isNamed = (data: Buffer, name: string): boolean => data.toString('latin1', 0, name.length) === name;

/** Removes the thumbnail, which may show the image before it was cropped or redacted. */
const withoutThumbnail = (data: Buffer): Buffer => {
  const header = Buffer.from(data.subarray(0, jfifBytes));
  header.fill(0, jfifBytes - 2);
  return header;
};

const segment = (marker: number, data: Buffer): Buffer => {
  const head = Buffer.of(0xff, marker, 0, 0);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};
