import { randomUUID } from 'node:crypto';
import { type Collection, type MongoClient, MongoServerError } from 'mongodb';
import type { StoreCall } from '../calls.ts';
import { chunkBytesMax } from '../limits.ts';
import { fileBytesMax, MediaNameTaken } from '../media.ts';
import { inTransaction, type TransactionContext } from './transactions.ts';

/** The document of a file, as every GridFS client reads it. */
export type FileDocument = {
  readonly _id: string;
  readonly filename: string;
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly metadata: {
    readonly type: string /** The random id of the upload. It distinguishes a file from one stored earlier under the same
     * name. */;
    readonly upload: string;
  };
};
export type Chunk = { readonly _id: string; readonly files_id: string; readonly n: number; readonly data: Buffer };

export type Bucket = {
  readonly client: MongoClient;
  readonly files: Collection<FileDocument>;
  readonly chunks: Collection<Chunk>;
};

/** Returns undefined if there is no such file. */
export const findFile = async ({ files }: Bucket, name: string, signal: AbortSignal): Promise<FileDocument | undefined> => {
  const file = await files.findOne({ _id: { $eq: name } }, { signal });
  if (file === null) return undefined;
  if (!(file.length <= fileBytesMax && file.chunkSize > 0)) throw new Error('A stored file was not written by Waymark.');
  return file;
};

/** Reads each chunk with a query of its own: a slow reader holds no cursor and no connection. */
export async function* piecesOf(bucket: Bucket, file: FileDocument, call: StoreCall, caller?: AbortSignal): AsyncGenerator<Buffer> {
  const ids = chunkIds(file);
  for (const [n, id] of ids.entries()) {
    yield await call(async (signal) => {
      const chunk = await bucket.chunks.findOne({ _id: { $eq: id } }, { signal });
      // Before the last of several pieces, confirms the upload: the pieces belong to one file only if it was not removed and stored again
      // in the meantime.
      if (n > 0 && n === ids.length - 1) await confirm(bucket, file, signal);
      if (chunk === null) throw new Error('A stored file is incomplete or was removed.');
      return chunk.data;
    }, caller);
  }
}

const confirm = async ({ files }: Bucket, file: FileDocument, signal: AbortSignal): Promise<void> => {
  const now = await files.findOne({ _id: { $eq: file._id } }, { signal });
  if (now?.metadata.upload !== file.metadata.upload) throw new Error('A stored file was removed while it was read.');
};

/** Returns undefined if there is no such file. */
const readFile = async (bucket: Bucket, name: string, signal: AbortSignal): Promise<Buffer | undefined> => {
  const readDocument = () => findFile(bucket, name, signal);
  for (let file = await readDocument(); file !== undefined; ) {
    const found = await bucket.chunks.find({ _id: { $in: chunkIds(file) } }, { signal }).toArray();
    const bytes = Buffer.concat(found.sort((one, other) => one.n - other.n).map(({ data }) => data));
    if (bytes.length === file.length) return bytes;
    const now = await readDocument();
    if (now?.metadata.upload === file.metadata.upload) throw new Error('A stored file is incomplete.');
    // The file was removed between the two reads, and may have been stored again.
    file = now;
  }
  return undefined;
};

/** Stores a file.
 * @throws MediaNameTaken */
export const writeFile = async (bucket: Bucket, name: string, type: string, bytes: Buffer, signal: AbortSignal): Promise<void> => {
  const { client, files, chunks } = bucket;
  const pieces = chunksOf(name, bytes);
  const write = async (context: TransactionContext): Promise<void> => {
    await files.insertOne(documentOf(name, type, bytes.length), context);
    if (pieces.length > 0) await chunks.insertMany(pieces, context);
  };
  for (;;) {
    try {
      return await inTransaction(client, signal, write);
    } catch (error) {
      if (!(error instanceof MongoServerError && error.code === duplicateKey)) throw error;
    }
    const stored = await readFile(bucket, name, signal);
    if (stored?.equals(bytes)) return;
    // If nothing is stored any more, the file was removed in the meantime: try again.
    if (stored !== undefined) throw new MediaNameTaken('This media name is taken by other bytes.');
  }
};

const documentOf = (name: string, type: string, length: number): FileDocument => ({
  _id: name,
  filename: name,
  length,
  chunkSize: chunkBytesMax,
  uploadDate: new Date(),
  metadata: { type, upload: randomUUID() },
});

/** Leaves an empty file under the name. */
export const emptyFile = ({ client, files, chunks }: Bucket, name: string, type: string, signal: AbortSignal): Promise<void> =>
  inTransaction(client, signal, async (context) => {
    const { _id, ...empty } = documentOf(name, type, 0);
    const before = await files.findOneAndReplace({ _id: { $eq: _id } }, empty, { ...context, upsert: true, returnDocument: 'before' });
    if (before !== null) await chunks.deleteMany({ _id: { $in: chunkIds(before) } }, context);
  });

export const removeFile = ({ client, files, chunks }: Bucket, name: string, signal: AbortSignal): Promise<void> =>
  inTransaction(client, signal, async (context) => {
    const file = await files.findOneAndDelete({ _id: { $eq: name } }, context);
    if (file !== null) await chunks.deleteMany({ _id: { $in: chunkIds(file) } }, context);
  });

const duplicateKey = 11_000;

const chunkId = (name: string, n: number): string => `${name}/${n}`;

const chunkIds = ({ _id, length, chunkSize }: FileDocument): string[] =>
  Array.from({ length: Math.ceil(length / chunkSize) }, (_, n) => chunkId(_id, n));

const chunksOf = (name: string, bytes: Buffer): readonly Chunk[] =>
  Array.from({ length: Math.ceil(bytes.length / chunkBytesMax) }, (_, n) => ({
    _id: chunkId(name, n),
    files_id: name,
    n,
    data: bytes.subarray(n * chunkBytesMax, (n + 1) * chunkBytesMax),
  }));
