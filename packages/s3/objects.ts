import { createHash } from 'node:crypto';
import { addAbortSignal, Readable } from 'node:stream';
import { GetObjectCommand, type GetObjectCommandOutput, PutObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';

export type ObjectName = { readonly Bucket: string; readonly Key: string };

/** Reads a whole object. Returns undefined if there is no such object, but the bucket is there.
 * @throws if it is longer than `bytesMax`, and the errors of the library */
export const readObject = async (
  client: S3Client,
  object: ObjectName,
  bytesMax: number,
  abortSignal: AbortSignal,
): Promise<Buffer | undefined> => {
  try {
    return await bodyOf(await client.send(new GetObjectCommand(object), { abortSignal }), bytesMax, abortSignal);
  } catch (error) {
    if (isRefusal(error, 'NoSuchKey')) return undefined;
    throw error;
  }
};

/** Reads a whole body. A body that is cut off before its length causes an error of the stream.
 * @throws if it is longer than `bytesMax` */
export const bodyOf = async ({ Body }: GetObjectCommandOutput, bytesMax: number, abortSignal: AbortSignal): Promise<Buffer> => {
  if (!(Body instanceof Readable)) throw new Error('A response of the store has no body.');
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of addAbortSignal(abortSignal, Body)) {
    pieces.push(piece);
    length += piece.length;
    if (length > bytesMax) throw new Error('A response of the store is longer than requested.');
  }
  return Buffer.concat(pieces);
};

/** Writes an object unless its name is taken. The response to an attempt may be lost: the object may be this one then, although the result is
 * `taken`.
 * @returns `taken` also while another writer writes this object
 * @throws the errors of the library */
export const createObject = async (
  client: S3Client,
  object: ObjectName & { readonly ContentType: string },
  Body: Buffer,
  abortSignal: AbortSignal,
): Promise<'created' | 'taken'> => {
  const ContentMD5 = createHash('md5').update(Body).digest('base64');
  try {
    await client.send(new PutObjectCommand({ ...object, Body, ContentMD5, IfNoneMatch: '*' }), { abortSignal });
    return 'created';
  } catch (error) {
    if (isRefusal(error, 'PreconditionFailed', 'ConditionalRequestConflict')) return 'taken';
    throw error;
  }
};

/** Whether the store has answered with one of these codes. */
export const isRefusal = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof S3ServiceException && codes.includes(error.name);
