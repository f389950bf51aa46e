import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { BrokerUnavailable } from '../broker.ts';
import { dropRecords, openTopics, startConsumption, until, withAdmin, withProducer } from '../testing/kafka.ts';
import { someRecord, someRecords, someWatermark } from '../testing/some-records.ts';
import { messageBytesMax } from './limits.ts';

const all = Array.from({ length: 12 }, (_, partition) => partition);

describeOn(['kafka'], 'records on Kafka', () => {
  const topics = openTopics();
  afterEach(() => topics.closed());
  describe('ensure', () => {
    it('creates the topic, also when many replicas call it at once', async () => {
      const one = topics.open();
      const replicas = [one, ...Array.from({ length: 4 }, () => topics.open({ topic: one.topic }))];
      await Promise.all(replicas.map(({ ensure }) => ensure()));
      await one.ensure();
      const metadata = await withAdmin((admin) => admin.fetchTopicMetadata({ topics: [one.topic] }));
      expect(metadata.topics[0]?.partitions).toHaveLength(12);
    });

    it('configures the topic for large records and a limited retention', async () => {
      const { topic } = await topics.made();
      const { resources } = await withAdmin((admin) =>
        admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name: topic }] }),
      );
      const values = Object.fromEntries(resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]) ?? []);
      expect(values).toMatchObject({
        'max.message.bytes': String(messageBytesMax),
        'cleanup.policy': 'delete',
        'compression.type': 'producer',
        'message.timestamp.type': 'LogAppendTime',
      });
      expect(Number(values['retention.ms'])).toBeGreaterThan(0);
    });

    it('refuses a topic with another number of partitions', async () => {
      const { topic } = await topics.made({ partitions: 3 });
      await expect(topics.open({ topic }).ensure()).rejects.toThrow('has 3 partitions instead of 12');
    });

    it('rejects with BrokerUnavailable where no broker answers', async () => {
      await expect(topics.open({ brokers: ['127.0.0.1:1'] }).ensure()).rejects.toThrow(BrokerUnavailable);
    });
  });

  describe('last', () => {
    it('returns nothing for an empty topic', async () => {
      const { last } = await topics.made();
      expect(await last()).toEqual(all.map(() => undefined));
    });

    it('returns the last record of each partition', async () => {
      const { send, last } = await topics.made();
      await send([...someRecords(4, 20), ...someRecords(5, 3)]);
      const end = [someRecord({ partition: 4, previous: 20, position: 25 }), someWatermark({ partition: 11, previous: 7, position: 7 })];
      await send(end);
      const found = await last();
      expect(found[4]).toEqual(end[0]);
      expect(found[5]).toMatchObject({ partition: 5, position: 3 });
      expect(found[11]).toEqual(end[1]);
      expect(found.filter((record) => record !== undefined)).toHaveLength(3);
    });

    it('returns it although many bytes precede it', async () => {
      const { send, last } = await topics.made();
      const large = JSON.stringify({ description: 'x'.repeat(500_000) });
      const records = Array.from({ length: 24 }, (_, index) =>
        someRecord({ partition: index % 12, previous: index, position: index + 1 }, large),
      );
      await send(records);
      expect((await last()).map((record) => record?.position)).toEqual(all.map((partition) => partition + 13));
    });

    it('reads further back where the last records are not from this installation', async () => {
      const { topic, send, last } = await topics.made();
      await send(someRecords(2, 5));
      const foreign = Array.from({ length: 40 }, () => ({ partition: 2, value: 'not ours' }));
      await withProducer((producer) => producer.send({ topic, messages: [...foreign, { partition: 3, value: 'not ours' }] }));
      expect((await last()).map((record) => record?.position)).toEqual(all.map((partition) => (partition === 2 ? 5 : undefined)));
    });

    it('reads further back where the last offsets have no records', async () => {
      const { topic, send, last } = await topics.made();
      await send(someRecords(2, 5));
      await withProducer(async (producer) => {
        for (let round = 0; round < 3; round += 1) {
          const transaction = await producer.transaction();
          await transaction.send({ topic, messages: [2, 3].map((partition) => ({ partition, value: 'not ours' })) });
          await (round === 1 ? transaction.abort() : transaction.commit());
        }
      }, ownName('transaction'));
      expect((await last()).map((record) => record?.position)).toEqual(all.map((partition) => (partition === 2 ? 5 : undefined)));
    });

    it('returns nothing for a partition whose records were all deleted', async () => {
      const { topic, send, last } = await topics.made();
      await send([...someRecords(2, 5), ...someRecords(3, 5)]);
      await dropRecords(topic, 2);
      expect((await last()).map((record) => record?.position)).toEqual(all.map((partition) => (partition === 3 ? 5 : undefined)));
    });

    it('is the only record that a drop keeps, and nothing is dropped before it has reached the position', async () => {
      const { topic, send, last, drop } = await topics.made();
      await send([...someRecords(2, 5), ...someRecords(3, 5)]);
      const before = await last();
      expect(await drop(2, (before[2]?.position ?? 0) + 1)).toBe(false);
      const offsets = async () =>
        (await withAdmin((admin) => admin.fetchTopicOffsets(topic))).sort((one, other) => one.partition - other.partition);
      expect((await offsets()).map(({ low }) => low)).toEqual(all.map(() => '0'));
      expect(await drop(2, before[2]?.position ?? 0)).toBe(true);
      expect(await drop(0, 7)).toBe(true);
      expect((await offsets()).map(({ low, high }) => Number(high) - Number(low))).toEqual(all.map((one) => [0, 0, 1, 5][one] ?? 0));
      expect(await last()).toEqual(before);
    });

    it('leaves no consumer group behind', async () => {
      const { last } = await topics.made();
      await last();
      const { groups } = await withAdmin((admin) => admin.listGroups());
      expect(groups.map(({ groupId }) => groupId)).not.toContain('none');
    });

    it('rejects where the topic does not exist, and does not create it', async () => {
      const { topic, last } = topics.open();
      await expect(last()).rejects.toThrow(BrokerUnavailable);
      expect(await withAdmin((admin) => admin.listTopics())).not.toContain(topic);
    });
  });

  describe('send', () => {
    it('appends each record to the partition that it names, in order', async () => {
      const records = await topics.made();
      const sent = all.flatMap((partition) => someRecords(partition, 30));
      await records.send(sent);
      const consumed = startConsumption(records);
      await until(() => consumed.records.length === sent.length);
      await consumed.stop();
      for (const partition of all) {
        expect(consumed.records.filter((record) => record.partition === partition)).toEqual(
          sent.filter((record) => record.partition === partition),
        );
      }
    });

    it('does not create a missing topic', async () => {
      const { topic, send } = topics.open();
      await expect(send(someRecords(0, 1))).rejects.toThrow(BrokerUnavailable);
      expect(await withAdmin((admin) => admin.listTopics())).not.toContain(topic);
    });

    it('rejects a record for which the topic has no partition', async () => {
      const { send } = await topics.made({ partitions: 3 });
      await expect(send(someRecords(7, 1))).rejects.toThrow(BrokerUnavailable);
    });

    it('sends content of a megabyte', async () => {
      const records = await topics.made();
      const record = someRecord({ partition: 6, previous: 0, position: 1 }, JSON.stringify({ description: '"\\'.repeat(250_000) }));
      await records.send([record]);
      const consumed = startConsumption(records);
      await until(() => consumed.records.length === 1);
      await consumed.stop();
      expect(consumed.records[0]?.event?.content === record.event?.content).toBe(true);
      expect((await records.last())[6]?.position).toBe(1);
    });

    it('leaves out a record that is too large for any topic, and sends the rest', async () => {
      const records = await topics.made();
      const [one, , three] = someRecords(6, 3);
      const two = someRecord({ partition: 6, previous: 1, position: 2 }, JSON.stringify({ description: 'x'.repeat(messageBytesMax) }));
      await records.send([one, two, three].filter((record) => record !== undefined));
      expect((await records.last())[6]).toMatchObject({ previous: 2, position: 3 });
      expect(records.counts()).toMatchObject({ sent: 2, tooLarge: 1 });
    });

    it('leaves out a record that is too large for this topic, and sends the rest', async () => {
      const records = topics.open();
      const configEntries = [{ name: 'max.message.bytes', value: '20000' }];
      await withAdmin((admin) =>
        admin.createTopics({ waitForLeaders: false, topics: [{ topic: records.topic, numPartitions: 12, configEntries }] }),
      );
      await records.ensure();
      const sent = someRecords(6, 60);
      sent[30] = someRecord({ partition: 6, previous: 30, position: 31 }, JSON.stringify({ description: 'x'.repeat(20_000) }));
      await records.send(sent);
      const consumed = startConsumption(records);
      await until(() => new Set(consumed.positions(6)).size === 59);
      await consumed.stop();
      expect(consumed.positions(6)).not.toContain(31);
      expect(records.counts()).toMatchObject({ tooLarge: 1 });
    });
  });
});
