import { setTimeout as pause } from 'node:timers/promises';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { dropRecords, openTopics, startConsumption, until, withAdmin, withProducer } from '../testing/kafka.ts';
import { someRecords } from '../testing/some-records.ts';

describeOn(['kafka'], 'offsets on Kafka, which are only a hint', () => {
  const topics = openTopics();
  afterEach(() => topics.closed());
  it('let a consumption resume near the last position of the group', async () => {
    const records = await topics.made();
    const group = ownName('group');
    await records.send(someRecords(3, 10));
    const first = startConsumption(records, { group });
    await until(() => first.positions(3).includes(10));
    // An offset is committed with a batch that ends at least one commit interval after the last commit.
    await pause(1_100);
    await records.send(someRecords(3, 1, 10));
    await until(() => first.positions(3).includes(11));
    await first.stop();
    await records.send(someRecords(3, 1, 11));
    const second = startConsumption(records, { group });
    await until(() => second.positions(3).includes(12));
    await second.stop();
    expect(second.positions(3)).not.toContain(1);
  });

  it('are passed over where they have no record', async () => {
    const records = await topics.made();
    await records.send(someRecords(3, 1));
    await withProducer(async (producer) => {
      for (const end of ['commit', 'abort', 'abort'] as const) {
        const transaction = await producer.transaction();
        await transaction.send({ topic: records.topic, messages: [{ partition: 3, value: 'not ours' }] });
        await transaction[end]();
      }
    }, ownName('transaction'));
    const consumed = startConsumption(records);
    await until(() => consumed.positions(3).includes(1));
    await records.send(someRecords(3, 1, 1));
    await until(() => consumed.positions(3).includes(2));
    await consumed.stop();
    expect(consumed.positions(3)).toEqual([1, 2]);
  });

  it('do not stop a consumption when the topic is deleted and created again', async () => {
    const records = await topics.made();
    await records.send(someRecords(3, 20));
    const consumed = startConsumption(records);
    await until(() => consumed.positions(3).includes(20));
    await withAdmin((admin) => admin.deleteTopics({ topics: [records.topic] }));
    await until(async () => {
      // A deleted topic may still be visible for a moment.
      await records.ensure();
      const sent = await records.send(someRecords(3, 1, 50)).catch((error: unknown) => error);
      await pause(100);
      return sent === undefined && consumed.positions(3).includes(51);
    });
    await consumed.stop();
  });

  it('do not stop a consumption when the record at the offset was deleted', async () => {
    const records = await topics.made();
    const group = ownName('group');
    await records.send(someRecords(3, 20));
    const first = startConsumption(records, { group, handle: () => Promise.reject(new Error('no room')) });
    await first.ended.catch(() => undefined);
    await withAdmin((admin) => admin.setOffsets({ groupId: group, topic: records.topic, partitions: [{ partition: 3, offset: '2' }] }));
    await dropRecords(records.topic, 3);
    await records.send(someRecords(3, 1, 20));
    const second = startConsumption(records, { group });
    await until(() => second.positions(3).includes(21));
    await second.stop();
    expect(second.positions(3)).toEqual([21]);
  });

  it('do not stop a consumption when they are beyond the end', async () => {
    const records = await topics.made();
    const group = ownName('group');
    await withAdmin((admin) => admin.setOffsets({ groupId: group, topic: records.topic, partitions: [{ partition: 3, offset: '1000' }] }));
    await records.send(someRecords(3, 2));
    const consumed = startConsumption(records, { group });
    await until(() => consumed.positions(3).includes(2));
    await consumed.stop();
    expect(consumed.positions(3)).toEqual([1, 2]);
  });
});
