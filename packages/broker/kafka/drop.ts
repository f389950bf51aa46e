import { closeQuietly, createKafkaClient, type KafkaAddress, retryCall, unavailable, withTimeout } from './client.ts';
import { lastRecords } from './last-records.ts';
import { questionMs } from './limits.ts';
import type { Topic } from './topic.ts';
import type { Trust } from './trust.ts';

type Dropping = { readonly partition: number; readonly through: number };

/** Deletes what a partition has before its last record, where one of ours is at a position or beyond it; a reader that has yet to read it reads the
 * event log. The bytes go with their segment, within hours.
 * @returns false where the records have not come so far @throws BrokerUnavailable */
export const dropRecords = async (
  address: KafkaAddress,
  topic: Topic,
  { partition, through }: Dropping,
  trust: Trust,
): Promise<boolean> => {
  const last = (await lastRecords(address, topic, trust)).ofPartitions[partition];
  if (last !== undefined && last.position < through) return false;
  const admin = createKafkaClient(address).admin();
  try {
    return await withTimeout(
      questionMs,
      'dropping records',
      admin.connect().then(() =>
        retryCall(async () => {
          const ends = await admin.fetchTopicOffsets(topic.topic);
          const { low, high } = ends.find((one) => one.partition === partition) ?? { low: '0', high: '0' };
          // What nobody signed may be a copy, too: the relay's next record tells.
          if (last === undefined) return low === high;
          // The last one stays: whoever sends on goes on after it.
          await admin.deleteTopicRecords({ topic: topic.topic, partitions: [{ partition, offset: String(Number(high) - 1) }] });
          return true;
        }),
      ),
    );
  } catch (error) {
    throw unavailable('The records could not be deleted', error);
  } finally {
    await closeQuietly('admin', () => admin.disconnect(), address.logger);
  }
};

/** Deletes all records of a topic. A partition that goes on meanwhile keeps what came after it was looked at. @throws BrokerUnavailable */
export const emptyTopic = async (address: KafkaAddress, { topic }: Topic): Promise<void> => {
  const admin = createKafkaClient(address).admin();
  const empty = async (): Promise<void> => {
    const ends = await admin.fetchTopicOffsets(topic);
    const partitions = ends.filter(({ low, high }) => low !== high).map(({ partition, high }) => ({ partition, offset: high }));
    if (partitions.length > 0) await admin.deleteTopicRecords({ topic, partitions });
  };
  try {
    await withTimeout(
      questionMs,
      'emptying the topic',
      admin.connect().then(() => retryCall(empty)),
    );
  } catch (error) {
    throw unavailable('The topic could not be emptied', error);
  } finally {
    await closeQuietly('admin', () => admin.disconnect(), address.logger);
  }
};
