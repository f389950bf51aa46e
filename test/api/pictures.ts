import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';

export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'] as const;
export type PictureType = (typeof pictureTypes)[number];

/** A file object in a request. */
export type FileObject = { readonly content: string; readonly name: string; readonly type: string };

export const fileMax = 5 * 1024 * 1024;

/** Creates a real picture. No two pictures are the same. */
export const picture = async (type: PictureType = 'image/png'): Promise<Buffer> => {
  const noise = sharp(randomBytes(8 * 8 * 3), { raw: { width: 8, height: 8, channels: 3 } });
  return noise.toFormat(type === 'image/avif' ? 'avif' : (type.slice('image/'.length) as 'png')).toBuffer();
};

/** Creates a picture with the metadata of a camera. */
export const photograph = async (type: PictureType = 'image/jpeg'): Promise<Buffer> => {
  const exif = { IFD0: { Copyright: 'Harbour Archive', Make: 'CAMERAMARK' }, IFD3: { GPSLatitudeRef: 'N', GPSAreaInformation: 'GPSMARK' } };
  const image = sharp(await picture('image/png'))
    .withMetadata({ orientation: 6 })
    .withExifMerge(exif);
  return image.toFormat(type.slice('image/'.length) as 'png').toBuffer();
};

export const fileOf = (bytes: Buffer, type = 'image/png', name = `picture.${type.slice('image/'.length)}`): FileObject => ({
  content: bytes.toString('base64'),
  name,
  type,
});

/** Creates a new picture as a file object. */
export const aFile = async (type: PictureType = 'image/png'): Promise<FileObject> => fileOf(await picture(type), type);

/** Creates a PNG of exactly this many bytes. Data behind the end of the pixel stream, which programs ignore, fills it up. */
export const pngOfSize = async (bytes: number): Promise<Buffer> => {
  const png = await picture();
  const last = png.length - 12;
  const filler = pngChunk('IDAT', Buffer.alloc(bytes - png.length - 12, 7));
  return Buffer.concat([png.subarray(0, last), filler, png.subarray(last)]);
};

/** Creates a PNG that claims a width and a height but contains no pixels. */
export const pngClaiming = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, pngChunk('IHDR', header), pngChunk('IDAT', Buffer.alloc(0)), pngChunk('IEND', Buffer.alloc(0))]);
};

const pngChunk = (name: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(name), data]);
  const length = Buffer.alloc(4);
  const checksum = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
};
