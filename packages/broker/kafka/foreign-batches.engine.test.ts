import { randomBytes } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { CompressionCodecs, CompressionTypes } from 'kafkajs';
import { openTopics, startConsumption, until, withAdmin, withProducer } from '../testing/kafka.ts';
import { someRecords } from '../testing/some-records.ts';

const partition = 3;

/** Lets the library's producer compress, and lets its consumer fail if it decompresses. */
const compressOnly = (compress: (buffer: Buffer) => Buffer) => () => ({
  compress: ({ buffer }: { readonly buffer: Buffer }) => Promise.resolve(compress(buffer)),
  decompress: () => Promise.reject(new Error('A compressed batch was read.')),
});

describeOn(['kafka'], 'batches on Kafka from another writer', () => {
  const topics = openTopics();
  const codecs = { ...CompressionCodecs };
  beforeAll(() => {
    CompressionCodecs[CompressionTypes.GZIP] = compressOnly(gzipSync);
    CompressionCodecs[CompressionTypes.ZSTD] = compressOnly(zstdCompressSync);
  });
  afterAll(() => Object.assign(CompressionCodecs, codecs));
  afterEach(() => topics.closed(), 60_000);
  jest.setTimeout(120_000);

  /** Reads a partition that receives something between its records.
   * @returns the number of records that were reported as forged */
  const read = async (between: (topic: string) => Promise<void>): Promise<number> => {
    const records = await topics.made();
    await records.send(someRecords(partition, 5));
    await between(records.topic);
    await records.last();
    await records.send(someRecords(partition, 5, 5));
    expect((await records.last())[partition]).toMatchObject({ position: 10 });
    const consumed = startConsumption(records);
    await until(() => consumed.positions(partition).includes(10), 20_000);
    await consumed.stop();
    // A batch may be delivered again.
    expect([...new Set(consumed.positions(partition))]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    return records.counts().forged;
  };

  it.each([
    ['gzip', CompressionTypes.GZIP],
    ['zstd', CompressionTypes.ZSTD],
  ])('do not stop the readers of a partition if they are compressed: %s', async (_, compression) => {
    const forged = await read((topic) =>
      withProducer(async (producer) => {
        const messages = [1, 2, 3].map(() => ({ partition, key: 'key', value: randomBytes(100) }));
        await producer.send({ topic, compression, messages });
      }),
    );
    expect(forged).toBeGreaterThan(0);
  });

  it('do not stop the readers of a partition if they have very many records', async () => {
    await read((topic) =>
      withProducer(async (producer) => {
        await producer.send({ topic, messages: Array.from({ length: 200_000 }, () => ({ partition, value: null })) });
      }),
    );
  });

  const inTransaction = (work: (send: (topic: string) => Promise<void>) => Promise<void>): Promise<void> =>
    withProducer(async (producer) => {
      const transaction = await producer.transaction();
      await work(async (topic) => void (await transaction.send({ topic, messages: [{ partition, value: 'not ours' }] })));
      await transaction.abort();
    }, ownName('transaction'));

  it('do not stop the readers of a partition while their transaction is open', () =>
    inTransaction(async (send) => {
      await read(send);
    }));

  it('do not keep records from being deleted while their transaction is open', () =>
    inTransaction(async (send) => {
      const records = await topics.made();
      const firstOffset = () =>
        withAdmin(async (admin) => (await admin.fetchTopicOffsets(records.topic)).find((one) => one.partition === partition)?.low);
      await records.send(someRecords(partition, 5));
      await send(records.topic);
      await records.send(someRecords(partition, 5, 5));
      expect(await records.drop(partition, 10)).toBe(true);
      expect(await firstOffset()).toBe('10');
      await records.empty();
      expect(await firstOffset()).toBe('11');
    }));
});
