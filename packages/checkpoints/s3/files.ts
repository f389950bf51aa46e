import { createS3Client } from '@waymark/s3/client.ts';
import type { S3Location } from '@waymark/s3/location.ts';
import { createObject, type ObjectName, readObject } from '@waymark/s3/objects.ts';
import { type FilePath, noteBytesMax, requestMs, type WriteOnceFiles } from '../files.ts';
import { PlaceUnavailable, reasonOf } from '../place.ts';

/** A notary writes one file at a time. */
const connectionsMax = 2;

/** Files in a bucket of S3, written with `If-None-Match: *`.
 * @param name of the bucket in messages, without credentials
 * @param ca authorities to trust, in PEM, instead of those of the system */
export const filesInS3 = (location: S3Location, name: string, ca?: string): WriteOnceFiles => {
  const client = createS3Client(location, { connectionsMax, ca });
  const { bucket: Bucket, prefix } = location;
  const objectOf = ({ folder, file }: FilePath): ObjectName => ({ Bucket, Key: `${prefix}${folder}/${file}` });
  const call = async <Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
    try {
      return await work(AbortSignal.timeout(requestMs));
    } catch (error) {
      throw new PlaceUnavailable(`${name} cannot be used: ${reasonOf(error)}.`, { cause: error });
    }
  };
  return {
    read: async (path) => (await call((signal) => readObject(client, objectOf(path), noteBytesMax, signal)))?.toString('utf8'),
    write: async (path, text) => {
      const object = { ...objectOf(path), ContentType: 'text/plain; charset=utf-8' };
      await call((signal) => createObject(client, object, Buffer.from(text), signal));
    },
    close: () => client.destroy(),
  };
};
