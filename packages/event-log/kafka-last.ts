import { type Broker, type Cluster, type Kafka, type KafkaMessage, PartitionAssigners } from 'kafkajs';
import { ended, type KafkaAddress, kafkaClient, patiently, unavailable, within } from './kafka-client.ts';
import { decoded } from './kafka-codec.ts';
import { fetchPartitionBytesMax, fetchWaitMs, lookBackFetchesMax, lookBackOffsets, questionMs } from './kafka-limits.ts';
import type { Topic } from './kafka-topic.ts';
import { type PartitionRecord, RecordsUnavailable } from './records.ts';

/** The last record of each partition, read straight from the brokers that lead them, in no group's name.
 * @throws RecordsUnavailable */
export const lastRecords = async (address: KafkaAddress, topic: Topic): Promise<(PartitionRecord | undefined)[]> => {
  const cluster = clusterOf(kafkaClient(address));
  try {
    return await within(
      questionMs,
      'last records',
      patiently(() => readLast(cluster, topic, address)),
    );
  } catch (error) {
    throw unavailable('The last records could not be read', error);
  } finally {
    await ended('last records', () => cluster.disconnect(), address.logger);
  }
};

/** The library shows its cluster to those who share out partitions: it answers what a consumer, bound to a group, cannot. */
const clusterOf = (kafka: Kafka): Cluster => {
  let shown: Cluster | undefined;
  kafka.consumer({
    groupId: 'none',
    allowAutoTopicCreation: false,
    partitionAssigners: [
      (config) => {
        shown = config.cluster;
        return PartitionAssigners.roundRobin(config);
      },
    ],
  });
  if (shown === undefined) throw new Error('kafkajs shows its cluster to nobody.');
  return shown;
};

const readLast = async (
  cluster: Cluster,
  { topic, partitions }: Topic,
  { logger }: KafkaAddress,
): Promise<(PartitionRecord | undefined)[]> => {
  await cluster.connect();
  await cluster.addMultipleTargetTopics([topic]);
  await cluster.refreshMetadata();
  const numbers = Array.from({ length: partitions }, (_, partition) => partition);
  const [starts, ends] = [await offsets(cluster, topic, numbers, true), await offsets(cluster, topic, numbers, false)];
  const lasts: (PartitionRecord | undefined)[] = [];
  // One after the other: questions at once to a broker that is just coming back have the library open a connection for each.
  for (const partition of numbers) {
    const [start, end] = [starts.get(partition), ends.get(partition)];
    const [leader] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
    if (start === undefined || end === undefined || leader === undefined) {
      throw new RecordsUnavailable(`Partition ${partition} of ${topic} is led by nobody.`);
    }
    const broker = await cluster.findBroker({ nodeId: leader });
    const last = await lookBack(reader(broker, topic, partition), start, end);
    if (last === undefined && start < end) logger.error({ partition, start, end }, 'the last records of a partition are not ours');
    lasts.push(last);
  }
  return lasts;
};

/** Where each partition starts or ends. Offsets are far from what a number cannot hold. */
const offsets = async (
  cluster: Cluster,
  topic: string,
  numbers: readonly number[],
  fromBeginning: boolean,
): Promise<Map<number, number>> => {
  const [found] = await cluster.fetchTopicsOffset([{ topic, partitions: numbers.map((partition) => ({ partition })), fromBeginning }]);
  return new Map(found?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
};

type Read = { readonly record: PartitionRecord | undefined; readonly next: number };
/** Reads from an offset on, before another: what is the last record there, and where to go on, or as far as there is nothing. */
type Reader = (from: number, before: number) => Promise<Read | undefined>;

type FetchedMessage = KafkaMessage & { readonly isControlRecord?: boolean };
type Fetched = { readonly responses: readonly { readonly partitions: readonly { readonly messages: readonly FetchedMessage[] }[] }[] };

const reader =
  (broker: Broker, topic: string, partition: number): Reader =>
  async (from, before) => {
    const fetched: Fetched = await broker.fetch({
      maxWaitTime: fetchWaitMs,
      minBytes: 1,
      maxBytes: fetchPartitionBytesMax,
      topics: [{ topic, partitions: [{ partition, fetchOffset: String(from), maxBytes: fetchPartitionBytesMax }] }],
    });
    // A whole batch comes, with what stands before the offset too.
    const messages = (fetched.responses[0]?.partitions[0]?.messages ?? []).filter(
      ({ offset }) => Number(offset) >= from && Number(offset) < before,
    );
    const last = messages.at(-1);
    if (last === undefined) return undefined;
    const values = messages.filter(({ isControlRecord }) => isControlRecord !== true).map(({ value }) => value);
    return {
      record: values.map((value) => decoded(value, partition)).findLast((record) => record !== undefined),
      next: Number(last.offset) + 1,
    };
  };

/** Offsets may have no record (a transaction's marks, what was compacted) or one that is not ours: then further back, within bounds. */
const lookBack = async (read: Reader, start: number, end: number): Promise<PartitionRecord | undefined> => {
  let fetches = 0;
  let before = end;
  for (const back of lookBackOffsets) {
    const from = Math.max(start, end - back);
    let found: PartitionRecord | undefined;
    for (let at = from; at < before && fetches < lookBackFetchesMax; fetches += 1) {
      const next = await read(at, before);
      if (next === undefined) break;
      found = next.record ?? found;
      at = next.next;
    }
    if (found !== undefined || from === start) return found;
    before = from;
  }
  return undefined;
};
