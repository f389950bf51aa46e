import { fileURLToPath } from 'node:url';
import { parseS3Url, s3UrlForm } from '@waymark/s3/location.ts';
import { filesOnDisk } from './disk/files.ts';
import { placeOfFiles } from './files.ts';
import { filesOverHttp } from './http/files.ts';
import type { CheckpointPlace } from './place.ts';

/** A text names no place of checkpoints. The message does not repeat the text, which may hold a secret. */
export class WrongPlace extends Error {}

const shapes = `an absolute path, a URL that begins with file:///, http:// or https://, or ${s3UrlForm}`;

/** Opens the place that a path or a URL names, and loads only the library that it needs. `ca`: authorities to trust for S3, in PEM, instead of
 * those of the system.
 * @throws WrongPlace */
export const openPlace = async (text: string, { ca }: { readonly ca?: string | undefined } = {}): Promise<CheckpointPlace> => {
  if (text.startsWith('/')) return placeOnDisk(text);
  const url = URL.parse(text);
  if (url?.protocol === 'file:' && url.host === '') return placeOnDisk(fileURLToPath(url));
  if ((url?.protocol === 'http:' || url?.protocol === 'https:') && url.search === '' && url.hash === '') {
    const name = `${url.origin}${url.pathname}`;
    return placeOfFiles(name, filesOverHttp(url, name));
  }
  const location = parseS3Url(text);
  if (location !== undefined) {
    const { endpoint, bucket, prefix } = location;
    const name = `s3+${endpoint}/${bucket}/${prefix}`.replace(/\/$/, '');
    return placeOfFiles(name, (await import('./s3/files.ts')).filesInS3(location, name, ca));
  }
  throw new WrongPlace(`A place of checkpoints is ${shapes}.`);
};

const placeOnDisk = (directory: string): CheckpointPlace => placeOfFiles(directory, filesOnDisk(directory));
