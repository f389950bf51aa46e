import { ended, type KafkaAddress, kafkaClient, patiently, unavailable, within } from './kafka-client.ts';
import { lastRecords } from './kafka-last.ts';
import { questionMs } from './kafka-limits.ts';
import type { Topic } from './kafka-topic.ts';

/** Deletes what a partition has before its last record, where that is at a position or beyond it; who has yet to read it reads the event log.
 * The bytes go with their segment, within hours.
 * @returns false where the records have not come so far @throws RecordsUnavailable */
export const dropRecords = async (address: KafkaAddress, topic: Topic, partition: number, through: number): Promise<boolean> => {
  const last = (await lastRecords(address, topic))[partition];
  if (last === undefined) return true;
  if (last.position < through) return false;
  const admin = kafkaClient(address).admin();
  try {
    await within(
      questionMs,
      'dropping records',
      admin.connect().then(() =>
        patiently(async () => {
          const ends = await admin.fetchTopicOffsets(topic.topic);
          const end = Number(ends.find((one) => one.partition === partition)?.high ?? 0);
          // The last one stays: whoever sends on goes on after it.
          if (end > 0) await admin.deleteTopicRecords({ topic: topic.topic, partitions: [{ partition, offset: String(end - 1) }] });
        }),
      ),
    );
    return true;
  } catch (error) {
    throw unavailable('The records could not be deleted', error);
  } finally {
    await ended('admin', () => admin.disconnect(), address.logger);
  }
};
