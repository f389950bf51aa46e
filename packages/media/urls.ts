import { decodePercent, isS3Url, parseS3Url, type S3Location, s3UrlForm } from '@waymark/s3/location.ts';
import type { GridFsOptions } from './gridfs/media.ts';
import type { RemoteMedia } from './media.ts';

/** The location of a media store, as parsed from its URL. */
export type MediaLocation =
  | ({ readonly kind: 'gridfs' } & Pick<GridFsOptions, 'url' | 'database'>)
  | ({ readonly kind: 's3' } & S3Location);

/** The URL does not name a media store. The message does not repeat the URL, which may hold a secret. */
export class WrongMediaUrl extends Error {}

/** Parses the URL of a media store.
 * @throws WrongMediaUrl */
export const parseMediaUrl = (url: string): MediaLocation => {
  if (/^gridfs\+mongodb(\+srv)?:\/\//.test(url)) return gridFsPlace(url.slice('gridfs+'.length));
  if (isS3Url(url)) return s3Place(url);
  throw new WrongMediaUrl('A media URL must begin with s3+http://, s3+https://, gridfs+mongodb:// or gridfs+mongodb+srv://.');
};

/** Opens the store that a URL names, and loads only the library of that store. `ca`: authorities to trust, in PEM, instead of those of the
 * system.
 * @throws WrongMediaUrl */
export const openMedia = async (
  url: string,
  options: { readonly ca?: string | undefined; readonly callMs?: number | undefined } = {},
): Promise<RemoteMedia> => {
  const place = parseMediaUrl(url);
  if (place.kind === 's3') return (await import('./s3/media.ts')).s3Media({ ...place, ...options });
  const { openGridFsMedia } = await import('./gridfs/media.ts');
  try {
    return openGridFsMedia({ ...place, ...options });
  } catch (error) {
    throw new WrongMediaUrl(`The media URL is not a valid connection string of MongoDB.${unknownOptions(error)}`);
  }
};

const gridFsPlace = (url: string): MediaLocation => {
  // A connection string may name several hosts, which URL parsers do not accept.
  const encoded = /^[^/]+:\/\/[^/]+\/([^/?]+)(\?.*)?$/.exec(url)?.[1];
  const database = encoded && decodePercent(encoded);
  if (!database) throw new WrongMediaUrl('A media URL of GridFS must name a database: gridfs+mongodb://host:port/database');
  return { kind: 'gridfs', url, database };
};

const s3Place = (url: string): MediaLocation => {
  const location = parseS3Url(url);
  if (location === undefined) throw new WrongMediaUrl(`A media URL of S3 must have the form ${s3UrlForm}.`);
  return { kind: 's3', ...location };
};

/** Returns the unknown options that the driver names. No other part of its message is known to be free of secrets. */
const unknownOptions = (error: unknown): string => {
  const unknownNames = /^options? ([a-z, ]+) (is|are) not supported$/i.exec(error instanceof Error ? error.message : '')?.[1];
  return unknownNames === undefined ? '' : ` Unknown option: ${unknownNames}.`;
};
