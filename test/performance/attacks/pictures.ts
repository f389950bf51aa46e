import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { type FileObject, fileOf } from '../../api/pictures.ts';

const side = 1_320;

/** Creates a picture of almost 5 MiB. */
export const largePicture = async (): Promise<FileObject> => {
  const noise = sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } });
  return fileOf(await noise.png({ compressionLevel: 0 }).toBuffer());
};
