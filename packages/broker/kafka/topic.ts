import type { Admin } from 'kafkajs';
import { BrokerUnavailable } from '../broker.ts';
import {
  closeQuietly,
  createKafkaClient,
  type KafkaAddress,
  leaderless,
  protocolError,
  retryCall,
  unavailable,
  withTimeout,
} from './client.ts';
import { messageBytesMax, questionMs, retentionBytes, retentionMs, segmentMs } from './limits.ts';

export type Topic = { readonly topic: string; readonly partitions: number };

/** The configuration of a topic that Waymark creates. */
export const topicConfiguration: Readonly<Record<string, string>> = {
  'cleanup.policy': 'delete',
  'retention.ms': String(retentionMs),
  'retention.bytes': String(retentionBytes),
  'segment.ms': String(segmentMs),
  'max.message.bytes': String(messageBytesMax),
  // Overrides the brokers' default: compressed batches are left out.
  'compression.type': 'producer',
  // The clock of the sender is not used.
  'message.timestamp.type': 'LogAppendTime',
};

/** Creates the topic where there is none.
 * @throws BrokerUnavailable, Error where the topic has another number of partitions */
export const ensureTopic = async (address: KafkaAddress, topic: Topic): Promise<void> => {
  const admin = createKafkaClient(address).admin();
  let partitions: number;
  try {
    partitions = await withTimeout(questionMs, 'Kafka topic', partitionsOf(admin, topic));
  } catch (error) {
    throw unavailable('The Kafka topic can be neither found nor created', error);
  } finally {
    await closeQuietly('admin', () => admin.disconnect(), address.logger);
  }
  if (partitions === topic.partitions) return;
  // More partitions would move accounts from one partition to another.
  throw new Error(`The Kafka topic ${topic.topic} has ${partitions} partitions instead of ${topic.partitions}: configure another topic.`);
};

const partitionsOf = async (admin: Admin, topic: Topic): Promise<number> => {
  await admin.connect();
  const there = await admin.listTopics();
  if (!there.includes(topic.topic)) await create(admin, topic);
  // A new topic is not known to every broker immediately.
  return retryCall(() => ledPartitionsOf(admin, topic), [...leaderless, 'UNKNOWN_TOPIC_OR_PARTITION']);
};

const ledPartitionsOf = async (admin: Admin, { topic }: Topic): Promise<number> => {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  // The leaders of the partitions answer this query.
  await admin.fetchTopicOffsets(topic);
  return topics.find(({ name }) => name === topic)?.partitions.length ?? 0;
};

/** Creates the topic. If another process creates it at the same time, that topic is used.
 * @throws BrokerUnavailable where the user may not create it */
const create = async (admin: Admin, { topic, partitions }: Topic): Promise<void> => {
  try {
    await admin.createTopics({
      // With it, the library fails where a broker does not know the topic yet, instead of waiting.
      waitForLeaders: false,
      topics: [
        {
          topic,
          numPartitions: partitions,
          // The brokers' default.
          replicationFactor: -1,
          configEntries: Object.entries(topicConfiguration).map(([name, value]) => ({ name, value })),
        },
      ],
    });
  } catch (error) {
    if (!forbidden.includes(protocolError(error) ?? '')) throw error;
    throw new BrokerUnavailable(
      `The Kafka user may not create the topic ${topic}, and the topic does not exist or the user may not describe it: create it with ${partitions} partitions, and permit the user to describe, read and write it.`,
      { cause: error },
    );
  }
};

const forbidden: readonly string[] = ['TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED'];
