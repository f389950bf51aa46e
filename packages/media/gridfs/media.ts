import { type Collection, MongoClient, type MongoClientOptions } from 'mongodb';
import { createStoreCalls, type StoreCall } from '../calls.ts';
import { verifiedContent } from '../content.ts';
import { listedAtOnceMax, storeCallMs, storeConnectionsMax } from '../limits.ts';
import type { MediaEntry, RemoteMedia } from '../media.ts';
import { checkFile, mediaTypeOf } from '../names.ts';
import { type Bucket, type Chunk, emptyFile, type FileDocument, findFile, piecesOf, removeFile, writeFile } from './files.ts';

export type GridFsOptions = {
  /** A connection string of MongoDB. The server must be a replica set, even with one member only: files are stored and removed in
   * transactions. */
  readonly url: string;
  readonly database: string;
  /** Authorities to trust, in PEM, instead of those of the system. If given, TLS is used. */
  readonly ca?: string | undefined;
  readonly callMs?: number | undefined;
};

/** Opens a store of files in MongoDB that every GridFS client can read: bucket `media`; the id of each file is its name. The ids of the
 * chunks follow from the id of the file, so that no additional index is needed.
 * @throws the error of the driver if the connection string is wrong; its message may quote the string */
export const openGridFsMedia = ({ url, database, ca, callMs = storeCallMs }: GridFsOptions): RemoteMedia => {
  const client = new MongoClient(url, { ...settings(callMs), ...(ca === undefined ? {} : { tls: true, ca }) });
  // After a failed first connection, the client keeps its closed topology and every later call fails with "Topology is closed" (driver
  // 7.9). Without the topology, the next call connects.
  client.on('topologyClosed', () => Reflect.set(client, 'topology', undefined));
  const call = createStoreCalls(callMs);
  const db = client.db(database);
  const files = db.collection<FileDocument>('media.files');
  const bucket: Bucket = { client, files, chunks: db.collection<Chunk>('media.chunks') };
  return {
    put: async (name, bytes) => {
      const type = checkFile(name, bytes);
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      await call((signal) => writeFile(bucket, name, type, buffer, signal));
    },
    get: async (name) => {
      const type = mediaTypeOf(name);
      if (type === undefined) return undefined;
      const file = await call((signal) => findFile(bucket, name, signal));
      if (file === undefined) return undefined;
      if (file.length === 0) return 'erased';
      const pieceBytes = Math.min(file.length, file.chunkSize);
      return {
        type,
        size: file.length,
        pieceBytes,
        content: (signal) => verifiedContent(file.length, piecesOf(bucket, file, call, signal), signal),
      };
    },
    erase: async (name) => {
      const type = mediaTypeOf(name);
      if (type !== undefined) await call((signal) => emptyFile(bucket, name, type, signal));
    },
    remove: async (name) => {
      if (mediaTypeOf(name) !== undefined) await call((signal) => removeFile(bucket, name, signal));
    },
    list: () => listEntries(files, call),
    ping: () => call(async (signal) => void (await files.findOne({}, { projection: { _id: 1 }, signal }))),
    close: () => client.close(true),
  };
};

/** A write is acknowledged once it is on the disks of a majority, and only such writes are read. The limits of the driver, in addition to
 * the timer of each call, end operations that no caller waits for any more. */
const settings = (callMs: number): MongoClientOptions => ({
  appName: 'waymark-media',
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  promoteBuffers: true,
  maxPoolSize: storeConnectionsMax,
  waitQueueTimeoutMS: callMs,
  serverSelectionTimeoutMS: callMs,
  connectTimeoutMS: callMs,
  socketTimeoutMS: 2 * callMs,
});

/** Lists page by page, each page with a query of its own: no cursor must outlive the processing of a page. */
const listEntries = async function* (files: Collection<FileDocument>, call: StoreCall): AsyncIterable<MediaEntry> {
  for (let after = ''; ; ) {
    const page = await call((signal) =>
      files
        .find({ _id: { $gt: after } }, { projection: { uploadDate: 1, length: 1 }, signal })
        .sort({ _id: 1 })
        .limit(listedAtOnceMax)
        .toArray(),
    );
    for (const { _id: name, uploadDate, length } of page) {
      if (mediaTypeOf(name) !== undefined) yield { name, erased: length === 0, storedAtMs: uploadDate.getTime() };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < listedAtOnceMax) return;
    after = last._id;
  }
};
