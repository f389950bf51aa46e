import { createFaultProxy } from '@waymark/test-engines/fault-proxy.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { openTlsFront } from '@waymark/test-engines/tls-front.ts';
import { GridFSBucket, MongoClient } from 'mongodb';
import { storedBytes } from '../content.ts';
import { mediaContract } from '../contract/media.ts';
import { MediaUnavailable, type RemoteMedia } from '../media.ts';
import { openGridFsMedia } from './media.ts';

const name = 'ab12ab12ab12ab12ab12ab12ab12ab12.png';
const bytes = Buffer.alloc(2_500_000, 'abc');

describeOn(['mongodb'], 'media in GridFS', () => {
  const database = ownName('media');
  let client: MongoClient;
  let media: RemoteMedia;
  beforeAll(() => {
    client = new MongoClient(urlOf('mongodb'), { serverSelectionTimeoutMS: 5_000 });
  });
  beforeEach(() => {
    media = openGridFsMedia({ url: urlOf('mongodb'), database });
  });
  afterEach(async () => {
    await media.close();
    await client.db(database).dropDatabase();
  });
  afterAll(() => client.close());
  const count = (collection: string): Promise<number> => client.db(database).collection(collection).countDocuments();

  mediaContract('gridfs', () => media);

  it('are files that every GridFS client can read', async () => {
    await media.put(name, bytes);
    const bucket = new GridFSBucket(client.db(database), { bucketName: 'media' });
    const [file] = await bucket.find({ filename: name }).toArray();
    expect(file).toMatchObject({ filename: name, length: bytes.length, metadata: { type: 'image/png' } });
    const pieces: Buffer[] = [];
    for await (const piece of bucket.openDownloadStreamByName(name)) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  });

  it('are available as soon as MongoDB is, even if the first connection failed', async () => {
    const { hostname, port } = new URL(urlOf('mongodb'));
    const passage = await createFaultProxy({ host: hostname, port: Number(port) });
    const url = `mongodb://127.0.0.1:${passage.port}/?directConnection=true`;
    const cutOff = openGridFsMedia({ url, database, callMs: 1_000 });
    await passage.cut();
    for (let time = 0; time < 2; time += 1) await expect(cutOff.get(name)).rejects.toThrow(MediaUnavailable);
    await passage.heal();
    expect(await cutOff.get(name)).toBeUndefined();
    await cutOff.close();
    await passage.close();
  });

  it('leave no chunk behind when removed or refused', async () => {
    await media.put(name, bytes);
    await expect(media.put(name, Buffer.alloc(3_500_000))).rejects.toThrow('taken');
    expect([await count('media.files'), await count('media.chunks')]).toEqual([1, 3]);
    await media.remove(name);
    expect([await count('media.files'), await count('media.chunks')]).toEqual([0, 0]);
  });

  it('are read whole or not at all while a writer stores and removes them', async () => {
    let busy = true;
    const reader = async (): Promise<void> => {
      while (busy) {
        const found = await storedBytes(media, name).catch((error) => {
          // The file was removed while it was read.
          if (!(error instanceof MediaUnavailable)) throw error;
          return undefined;
        });
        if (found !== undefined) expect(bytes.equals(found)).toBe(true);
      }
    };
    const readers = Promise.all([reader(), reader()]);
    for (let round = 0; round < 30; round += 1) {
      await media.put(name, bytes);
      await media.remove(name);
    }
    busy = false;
    await readers;
  });

  it('that are damaged are unavailable, not missing, and never delivered as whole', async () => {
    await media.put(name, bytes);
    await client.db(database).collection('media.chunks').deleteOne({ n: 1 });
    await expect(storedBytes(media, name)).rejects.toThrow(MediaUnavailable);
    await expect(media.put(name, bytes)).rejects.toThrow(MediaUnavailable);
  });

  it('are listed page by page', async () => {
    const names = Array.from({ length: 1_003 }, (_, index) => `${index.toString(16).padStart(32, '0')}.png`);
    const documents = [...names, 'zz-a-stranger'].map((_id) => ({ _id, filename: _id, length: 1, chunkSize: 1, uploadDate: new Date() }));
    await client.db(database).collection<{ _id: string }>('media.files').insertMany(documents);
    const listed: string[] = [];
    for await (const entry of media.list()) listed.push(entry.name);
    expect(listed).toEqual(names);
  });

  it('are stored over TLS only if the given authority signed the certificate of the server', async () => {
    const { hostname, port } = new URL(urlOf('mongodb'));
    const front = await openTlsFront(hostname, Number(port));
    const url = `mongodb://127.0.0.1:${front.port}/?directConnection=true`;
    const trusting = openGridFsMedia({ url, database, ca: front.ca });
    await trusting.put(name, bytes);
    expect((await storedBytes(trusting, name))?.length).toBe(bytes.length);
    const stranger = openGridFsMedia({ url: `${url}&tls=true`, database, callMs: 2_000 });
    await expect(stranger.get(name)).rejects.toThrow(MediaUnavailable);
    await Promise.all([trusting.close(), stranger.close()]);
    front.close();
  });
});
