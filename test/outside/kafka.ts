import { urlOf } from '@waymark/test-engines/test-engines.ts';
import { ConfigResourceTypes, Kafka, type KafkaMessage, logLevel } from 'kafkajs';
import { until } from '../cluster/setup/until.ts';
import { distinct, type Masked, type Masking } from './masked.ts';

/** This bound only detects a hang. */
const readWithinMs = 300_000;

const kafka = (): Kafka => new Kafka({ brokers: urlOf('kafka').split(','), logLevel: logLevel.NOTHING });

/** Returns the partitions and settings of a topic, and each kind of record in it. */
export const topicOf = async (topic: string, masking: Masking): Promise<Masked> => ({
  ...(await settingsOf(topic)),
  records: await recordsOf(topic, masking),
});

const settingsOf = async (topic: string) => {
  const admin = kafka().admin();
  await admin.connect();
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }],
    });
    const configured = resources[0]?.configEntries.filter(({ isDefault }) => !isDefault) ?? [];
    return {
      partitions: topics[0]?.partitions.length ?? 0,
      settings: Object.fromEntries(configured.map(({ configName, configValue }): [string, string] => [configName, configValue]).sort()),
    };
  } finally {
    await admin.disconnect();
  }
};

const recordsOf = async (topic: string, masking: Masking): Promise<readonly Masked[]> => {
  const [admin, consumer] = [kafka().admin(), kafka().consumer({ groupId: `${topic}-outside` })];
  const records: Masked[] = [];
  const reached = new Map<number, number>();
  await Promise.all([admin.connect(), consumer.connect()]);
  try {
    const ends = await admin.fetchTopicOffsets(topic);
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ partition, message }) => {
        records.push(recordOf(message, masking));
        reached.set(partition, Number(message.offset) + 1);
      },
    });
    await until('all records are read', readWithinMs, () =>
      ends.every(({ partition, low, high }) => low === high || (reached.get(partition) ?? 0) >= Number(high)),
    );
  } finally {
    await Promise.all([admin.disconnect(), consumer.disconnect()]);
  }
  return distinct(records);
};

const recordOf = ({ key, headers = {}, value }: KafkaMessage, masking: Masking): Masked => ({
  key: key === null ? null : masking.stored(key.toString()),
  headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, masking.stored(String(header))])),
  value: value === null ? null : masking.stored(value.toString()),
});
