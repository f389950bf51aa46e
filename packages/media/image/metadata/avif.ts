import { type Box, blank, boxAt, boxesIn, fullHeadBytes, onlyBox } from './avif-boxes.ts';
import { type Extent, type Item, locationsIn, typesIn } from './avif-items.ts';
import { BrokenImage } from './broken.ts';
import { readExif, writeExif } from './exif.ts';
import { createPartCount } from './parts.ts';

/** Item types with pixels, and those that combine such items. */
const pixelItems = new Set(['av01', 'grid', 'iovl', 'iden', 'tmap', 'sato']);
const fileBoxes = new Set(['ftyp', 'meta', 'mdat']);
const metaBoxes = new Set(['hdlr', 'pitm', 'iloc', 'iinf', 'iref', 'iprp', 'idat', 'grpl', 'dinf']);
/** The image properties that decoding, colour, size and position need. */
const properties = new Set('av1C ispe pixi colr pasp clap irot imir auxC a1op lsel a1lx clli mdcv cclv amve reve ndwt rloc'.split(' '));
/** Bytes of the number before the EXIF of an item. The number is the distance from its end to the EXIF. */
const exifOffsetBytes = 4;

/** A piece of an item, as a range of bytes of the file. */
type ItemExtent = { readonly from: number; readonly to: number; readonly isPixels: boolean };

/** Fills everything that is removed with zeros. No byte moves, because the file refers to its content by offsets.
 * @throws BrokenImage */
export const cleanAvif = (avif: Buffer): Buffer => {
  const boxes = boxesOf(avif);
  const file = Buffer.from(avif.subarray(0, boxes.at(-1)?.to));
  const meta = onlyBox(boxes, 'meta');
  const inside = boxesIn(file, meta.from + fullHeadBytes, meta.to);
  const types = typesIn(file, onlyBox(inside, 'iinf'));
  const items = locationsIn(file, onlyBox(inside, 'iloc'));
  const containers = [...boxes, ...inside].filter(({ type }) => type === 'mdat' || type === 'idat');
  const placesOf = (item: Item): readonly ItemExtent[] =>
    item.extents.map((extent) => placeOf(extent, containers, pixelItems.has(types.get(item.id) ?? '')));
  const places = items.flatMap(placesOf).toSorted((one, other) => one.from - other.from);
  checkNoOverlap(places);

  const exifs = items.filter(({ id }) => types.get(id) === 'Exif').map(placesOf);
  const written = exifs.map((own) => exifItem(Buffer.concat(own.map(({ from, to }) => file.subarray(from, to)))));
  for (const home of containers) clearBetween(file, home, places);
  for (const [nth, own] of exifs.entries()) spread(file, own, written[nth] ?? Buffer.of());
  for (const box of boxes) if (!fileBoxes.has(box.type)) blank(file, box);
  for (const box of inside) if (!metaBoxes.has(box.type)) blank(file, box);
  for (const property of propertiesIn(file, inside)) if (!properties.has(property.type)) blank(file, property);
  return file;
};

/** Returns the boxes of the file up to the last one that the image needs; later data does not belong to the image.
 * @throws BrokenImage */
const boxesOf = (avif: Buffer): readonly Box[] => {
  const boxes: Box[] = [];
  const count = createPartCount();
  try {
    while ((boxes.at(-1)?.to ?? 0) < avif.length) {
      count();
      boxes.push(boxAt(avif, boxes.at(-1)?.to ?? 0, avif.length));
    }
  } catch (error) {
    if (!(error instanceof BrokenImage)) throw error;
  }
  return boxes.slice(0, boxes.findLastIndex(({ type }) => type === 'meta' || type === 'mdat') + 1);
};

/** Returns the range of a piece in the file.
 * @throws BrokenImage if the piece lies outside the box for its kind */
const placeOf = ({ inside, from, to }: Extent, containers: readonly Box[], isPixels: boolean): ItemExtent => {
  const start = inside ? (containers.find(({ type }) => type === 'idat')?.from ?? Number.POSITIVE_INFINITY) : 0;
  const place = { from: start + from, to: start + to, isPixels };
  const type = inside ? 'idat' : 'mdat';
  const isContainer = (home: Box): boolean => home.type === type && home.from <= place.from && place.from < place.to && place.to <= home.to;
  if (!containers.some(isContainer)) throw new BrokenImage('A piece of an image lies outside its box.');
  return place;
};

/** Checks that pieces do not overlap. Items of pixels may share a whole piece, because encoders write equal pieces once.
 * @throws BrokenImage if other items share a piece, or if pieces overlap partly */
const checkNoOverlap = (places: readonly ItemExtent[]): void => {
  for (const [nth, place] of places.entries()) {
    const before = places[nth - 1];
    if (before === undefined || before.to <= place.from) continue;
    const isShared = before.from === place.from && before.to === place.to && before.isPixels && place.isPixels;
    if (!isShared) throw new BrokenImage('Pieces of an image overlap.');
  }
};

/** Fills everything except pixels with zeros. */
const clearBetween = (file: Buffer, home: Box, places: readonly ItemExtent[]): void => {
  let at = home.from;
  for (const { from, to, isPixels } of places) {
    if (!isPixels || from < home.from || to > home.to) continue;
    file.fill(0, at, Math.max(at, from));
    at = to;
  }
  file.fill(0, at, home.to);
};

/** Returns the new content of an EXIF item: readers expect a block there, even an empty one. */
const exifItem = (bytes: Buffer): Buffer => {
  const begin = bytes.length < exifOffsetBytes ? bytes.length : exifOffsetBytes + bytes.readUInt32BE(0);
  return Buffer.concat([Buffer.alloc(exifOffsetBytes), writeExif(readExif(bytes.subarray(begin)))]);
};

/** Writes bytes into the pieces of an item, one after the other. Writes nothing if the pieces are too small for all bytes. */
const spread = (file: Buffer, places: readonly ItemExtent[], bytes: Buffer): void => {
  const room = places.reduce((sum, { from, to }) => sum + to - from, 0);
  if (room < bytes.length) return;
  let done = 0;
  for (const { from, to } of places) done += bytes.copy(file, from, done, done + to - from);
};

const propertiesIn = (file: Buffer, inside: readonly Box[]): readonly Box[] =>
  inside
    .filter(({ type }) => type === 'iprp')
    .flatMap(({ from, to }) => boxesIn(file, from, to))
    .filter(({ type }) => type === 'ipco')
    .flatMap(({ from, to }) => boxesIn(file, from, to));
