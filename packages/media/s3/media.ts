import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { createS3Client } from '@waymark/s3/client.ts';
import type { S3Location } from '@waymark/s3/location.ts';
import { bodyOf, createObject, isRefusal, type ObjectName, readObject } from '@waymark/s3/objects.ts';
import { createStoreCalls, type StoreCall } from '../calls.ts';
import { verifiedContent } from '../content.ts';
import { listedAtOnceMax, pieceBytesMax, retryPauseMsMax, storeCallMs, storeConnectionsMax } from '../limits.ts';
import { fileBytesMax, type MediaEntry, MediaNameTaken, type RemoteMedia } from '../media.ts';
import { checkFile, mediaTypeOf } from '../names.ts';

export type S3Options = S3Location & {
  /** Authorities to trust, in PEM, instead of those of the system. */
  readonly ca?: string | undefined;
  readonly callMs?: number | undefined;
};

/** Creates a store of files in a bucket of S3, or of a store with a compatible API, each under its name. */
export const s3Media = (options: S3Options): RemoteMedia => {
  const { bucket: Bucket, prefix, ca, callMs = storeCallMs } = options;
  const client = createS3Client(options, { connectionsMax: storeConnectionsMax, ca });
  const call = createStoreCalls(callMs);
  const objectOf = (name: string) => ({ Bucket, Key: `${prefix}${name}` });
  const place: BucketPrefix = { client, Bucket, prefix };
  return {
    put: async (name, bytes) => {
      const type = checkFile(name, bytes);
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      await call((signal) => write(client, { ...objectOf(name), ContentType: type }, buffer, signal));
    },
    get: async (name) => {
      const type = mediaTypeOf(name);
      if (type === undefined) return undefined;
      const found = await call((signal) => find(client, objectOf(name), signal));
      if (found === undefined) return undefined;
      const { size } = found;
      if (size === 0) return 'erased';
      return {
        type,
        size,
        pieceBytes: Math.min(size, pieceBytesMax),
        content: (signal) => verifiedContent(size, piecesOf(client, { ...objectOf(name), ...found }, call, signal), signal),
      };
    },
    erase: async (name) => {
      const ContentType = mediaTypeOf(name);
      if (ContentType === undefined) return;
      await call((abortSignal) => client.send(new PutObjectCommand({ ...objectOf(name), ContentType, Body: '' }), { abortSignal }));
    },
    remove: async (name) => {
      if (mediaTypeOf(name) === undefined) return;
      await call((abortSignal) => client.send(new DeleteObjectCommand(objectOf(name)), { abortSignal }));
    },
    list: () => listed(place, call),
    ping: () => call(async (signal) => void (await page(place, '', 1, signal))),
    close: async () => client.destroy(),
  };
};

type Found = { readonly size: number /** The entity tag of exactly these bytes. */; readonly tag: string | undefined };

/** Returns undefined if there is no such object. */
const find = async (client: S3Client, object: ObjectName, abortSignal: AbortSignal): Promise<Found | undefined> => {
  try {
    const { ContentLength: size, ETag: tag } = await client.send(new HeadObjectCommand(object), { abortSignal });
    if (size === undefined || size > fileBytesMax) throw new Error('A stored file was not written by Waymark.');
    return { size, tag };
  } catch (error) {
    // A response to HEAD has no body that says what is missing. As the bucket may be missing, a GET, whose response has a body, decides.
    if (isRefusal(error, 'NotFound'))
      return readObject(client, object, fileBytesMax, abortSignal).then((bytes) => bytes && { size: bytes.length, tag: undefined });
    throw error;
  }
};

/** Reads each range with a request of its own: a slow reader holds no connection. */
async function* piecesOf(client: S3Client, object: ObjectName & Found, call: StoreCall, caller?: AbortSignal): AsyncGenerator<Buffer> {
  const { Bucket, Key, size, tag } = object;
  for (let at = 0; at < size; at += pieceBytesMax) {
    const Range = `bytes=${at}-${Math.min(at + pieceBytesMax, size) - 1}`;
    yield await call(async (abortSignal) => {
      const command = new GetObjectCommand({ Bucket, Key, Range, ...(tag === undefined ? {} : { IfMatch: tag }) });
      return bodyOf(await client.send(command, { abortSignal }), pieceBytesMax, abortSignal);
    }, caller);
  }
}

/** Stores a file.
 * @throws MediaNameTaken */
const write = async (client: S3Client, object: ObjectName & { readonly ContentType: string }, Body: Buffer, abortSignal: AbortSignal) => {
  while ((await createObject(client, object, Body, abortSignal)) === 'taken') {
    const stored = await readObject(client, object, fileBytesMax, abortSignal);
    if (stored?.equals(Body)) return;
    if (stored !== undefined) throw new MediaNameTaken('This media name is taken by other bytes.');
    // Another writer has not finished yet, or the file was removed in the meantime.
    await pause(Math.random() * retryPauseMsMax, undefined, { signal: abortSignal });
  }
};

type BucketPrefix = { readonly client: S3Client; readonly Bucket: string; readonly prefix: string };

const page = ({ client, Bucket, prefix }: BucketPrefix, after: string, MaxKeys: number, abortSignal: AbortSignal) =>
  client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys, ...(after === '' ? {} : { StartAfter: after }) }), {
    abortSignal,
  });

/** Lists page by page. Each request starts after the last key of the previous page, so that no continuation token can expire. */
const listed = async function* (place: BucketPrefix, call: StoreCall): AsyncIterable<MediaEntry> {
  for (let after = ''; ; ) {
    const { Contents = [], IsTruncated } = await call((signal) => page(place, after, listedAtOnceMax, signal));
    for (const { Key = '', LastModified, Size = 0 } of Contents) {
      const name = Key.slice(place.prefix.length);
      if (mediaTypeOf(name) === undefined || LastModified === undefined) continue;
      yield { name, erased: Size === 0, storedAtMs: LastModified.getTime() };
    }
    const last = Contents.at(-1)?.Key;
    if (!IsTruncated || last === undefined || last === after) return;
    after = last;
  }
};
