import { closeQuietly, createKafkaClient, type KafkaAddress, retryCall, unavailable, withTimeout } from './client.ts';
import { lastRecords, offsets, queryCluster } from './last-records.ts';
import { questionMs } from './limits.ts';
import type { Topic } from './topic.ts';
import type { Trust } from './trust.ts';

type Dropping = { readonly partition: number; readonly through: number };

/** Deletes the records of a partition before its last one, once this installation's last record is at or beyond a position. A reader that
 * has not read them reads the event log instead. Kafka frees the bytes with their segment, within hours.
 * @returns false where the records have not reached the position
 * @throws BrokerUnavailable */
export const dropRecords = async (
  address: KafkaAddress,
  topic: Topic,
  { partition, through }: Dropping,
  trust: Trust,
): Promise<boolean> => {
  const last = (await lastRecords(address, topic, trust)).ofPartitions[partition];
  if (last !== undefined && last.position < through) return false;
  const end = await endOf(address, topic, partition);
  const admin = createKafkaClient(address).admin();
  try {
    return await withTimeout(
      questionMs,
      'dropping records',
      admin.connect().then(() =>
        retryCall(async () => {
          const ends = await admin.fetchTopicOffsets(topic.topic);
          const { low } = ends.find((one) => one.partition === partition) ?? { low: '0' };
          // Records without a signature may be copies of events, too. The next record of the relay settles that.
          if (last === undefined) return Number(low) === end;
          // The last record is kept: the relay resumes from it.
          await admin.deleteTopicRecords({ topic: topic.topic, partitions: [{ partition, offset: String(end - 1) }] });
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

/** Returns the offset at which a partition ends. The admin client returns where the first open transaction of another writer begins. */
const endOf = (address: KafkaAddress, topic: Topic, partition: number): Promise<number> =>
  queryCluster(address, topic, async (cluster) => (await offsets(cluster, topic.topic, [partition], false)).get(partition) ?? 0);

/** The protocol's value for the end of a partition. */
const throughEnd = '-1';

/** Deletes all records of a topic.
 * @throws BrokerUnavailable */
export const emptyTopic = async (address: KafkaAddress, { topic }: Topic): Promise<void> => {
  const admin = createKafkaClient(address).admin();
  const empty = async (): Promise<void> => {
    const ends = await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: ends.map(({ partition }) => ({ partition, offset: throughEnd })) });
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
