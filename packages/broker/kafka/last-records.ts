import { type KnownFacts, mergeFacts } from '@waymark/event-log/facts/facts.ts';
import { type Broker, type Cluster, type Kafka, type KafkaMessage, PartitionAssigners } from 'kafkajs';
import { BrokerUnavailable, type LastRecords, type PartitionRecord } from '../broker.ts';
import { closeQuietly, createKafkaClient, type KafkaAddress, retryCall, unavailable, withTimeout } from './client.ts';
import { backwardFetchesMax, backwardOffsets, fetchPartitionBytesMax, fetchWaitMs, namedMax, questionMs } from './limits.ts';
import type { Topic } from './topic.ts';
import { factsIn, type Trust, verifyRecords } from './trust.ts';

/** Returns the last record of this installation in each partition. It reads them directly from the leading brokers, without a consumer
 * group.
 * @throws BrokerUnavailable */
export const lastRecords = (address: KafkaAddress, topic: Topic, trust: Trust): Promise<LastRecords> =>
  queryCluster(address, topic, (cluster) => readLast(cluster, topic, trust, address));

/** Queries the brokers that lead a topic's partitions.
 * @throws BrokerUnavailable */
export const queryCluster = async <Answer>(
  address: KafkaAddress,
  { topic }: Topic,
  question: (cluster: Cluster) => Promise<Answer>,
): Promise<Answer> => {
  const cluster = clusterOf(createKafkaClient(address));
  const ask = async (): Promise<Answer> => {
    await cluster.connect();
    await cluster.addMultipleTargetTopics([topic]);
    await cluster.refreshMetadata();
    return await question(cluster);
  };
  try {
    return await withTimeout(questionMs, 'last records', retryCall(ask));
  } catch (error) {
    throw unavailable('The last records could not be read', error);
  } finally {
    await closeQuietly('last records', () => cluster.disconnect(), address.logger);
  }
};

/** Returns the library's cluster object, which kafkajs passes to partition assigners only. It answers queries that a consumer, bound to a
 * group, cannot make. */
const clusterOf = (kafka: Kafka): Cluster => {
  let shown: Cluster | undefined;
  kafka.consumer({
    groupId: 'none',
    allowAutoTopicCreation: false,
    readUncommitted: true,
    partitionAssigners: [
      (config) => {
        shown = config.cluster;
        return PartitionAssigners.roundRobin(config);
      },
    ],
  });
  if (shown === undefined) throw new Error('kafkajs did not pass its cluster to the partition assigner.');
  return shown;
};

const readLast = async (cluster: Cluster, { topic, partitions }: Topic, trust: Trust, { logger }: KafkaAddress): Promise<LastRecords> => {
  const numbers = partitionsOf(partitions);
  const [starts, ends] = [await offsets(cluster, topic, numbers, true), await offsets(cluster, topic, numbers, false)];
  const ofPartitions: (PartitionRecord | undefined)[] = [];
  let foreign: readonly string[] = [];
  let facts: readonly KnownFacts[] = [];
  // Partitions are read one after the other: after concurrent queries to a broker that is just recovering, the library opens a connection
  // for each.
  for (const partition of numbers) {
    const [start, end] = [starts.get(partition), ends.get(partition)];
    const found = await lastBetween(cluster, { topic, partition, start, end }, trust);
    if (found.record === undefined && found.isBad)
      logger.error({ partition, start, end }, 'the last records of a partition are not from this installation');
    ofPartitions.push(found.record);
    foreign = union(foreign, found.foreign);
    facts = mergeByIncarnation([...facts, ...found.facts]);
  }
  return { ofPartitions, foreign, facts };
};

/** Merges facts to one entry for each incarnation. */
const mergeByIncarnation = (all: readonly KnownFacts[]): readonly KnownFacts[] => {
  const byIncarnation = new Map<string, KnownFacts>();
  for (const one of all) {
    const other = byIncarnation.get(one.incarnation);
    byIncarnation.set(one.incarnation, other ? mergeFacts(other, one) : one);
  }
  return [...byIncarnation.values()];
};

export const partitionsOf = (count: number): readonly number[] => Array.from({ length: count }, (_, partition) => partition);

type Stretch = {
  readonly topic: string;
  readonly partition: number;
  readonly start: number | undefined;
  readonly end: number | undefined;
};

/** Returns the last records of a partition between two offsets, the first inclusive.
 * @throws BrokerUnavailable */
export const lastBetween = async (cluster: Cluster, { topic, partition, start, end }: Stretch, trust: Trust): Promise<Found> => {
  const [leader] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
  if (start === undefined || end === undefined || leader === undefined) {
    throw new BrokerUnavailable(`Partition ${partition} of ${topic} has no leader.`);
  }
  const broker = await cluster.findBroker({ nodeId: leader });
  return readBackward(reader(broker, topic, partition, trust), start, end);
};

/** Returns the offset at which each partition starts or ends. Offsets stay far below the largest safe integer. */
export const offsets = async (
  cluster: Cluster,
  topic: string,
  numbers: readonly number[],
  fromBeginning: boolean,
): Promise<Map<number, number>> => {
  const [found] = await cluster.fetchTopicsOffset([{ topic, partitions: numbers.map((partition) => ({ partition })), fromBeginning }]);
  return new Map(found?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
};

/** What was found before an offset: this installation's last record, and information on the records of other writers. */
type Found = {
  readonly record: PartitionRecord | undefined;
  /** The installations that foreign records name. */
  readonly foreign: readonly string[];
  /** Whether a record has a signature and is not of this installation. */
  readonly isBad: boolean;
  /** The known facts of the log that the records carry. */
  readonly facts: readonly KnownFacts[];
};
type Read = Found & { readonly next: number };
/** Reads from one offset up to another, and returns what it found and the offset to continue at; undefined where there is nothing. */
type Reader = (from: number, before: number) => Promise<Read | undefined>;

type FetchedMessage = KafkaMessage & { readonly isControlRecord?: boolean };
type Fetched = { readonly responses: readonly { readonly partitions: readonly { readonly messages: readonly FetchedMessage[] }[] }[] };

/** The isolation level with which an open transaction of another writer hides no record. */
const uncommitted = 0;

const reader =
  (broker: Broker, topic: string, partition: number, trust: Trust): Reader =>
  async (from, before) => {
    const fetched: Fetched = await broker.fetch({
      isolationLevel: uncommitted,
      maxWaitTime: fetchWaitMs,
      minBytes: 1,
      maxBytes: fetchPartitionBytesMax,
      topics: [{ topic, partitions: [{ partition, fetchOffset: String(from), maxBytes: fetchPartitionBytesMax }] }],
    });
    // The broker returns a whole batch, including records before the offset.
    const messages = (fetched.responses[0]?.partitions[0]?.messages ?? []).filter(
      ({ offset }) => Number(offset) >= from && Number(offset) < before,
    );
    const last = messages.at(-1);
    if (last === undefined) return undefined;
    const sent = messages.filter(({ isControlRecord }) => isControlRecord !== true);
    const all = verifyRecords(sent, partition, trust);
    return {
      record: all.findLast(({ record }) => record !== undefined)?.record,
      foreign: union(
        [],
        all.flatMap(({ installation }) => installation ?? []),
      ),
      isBad: all.some(({ untrusted }) => untrusted !== undefined && untrusted !== 'unsigned'),
      facts: mergeByIncarnation(messages.flatMap((message) => factsIn(message, trust) ?? [])),
      next: Number(last.offset) + 1,
    };
  };

/** Reads backwards within limits. Offsets may have no record (transaction markers, compacted records), or one of another writer. */
const readBackward = async (read: Reader, start: number, end: number): Promise<Found> => {
  let fetches = 0;
  let before = end;
  let found: Found = { record: undefined, foreign: [], isBad: false, facts: [] };
  for (const back of backwardOffsets) {
    const from = Math.max(start, end - back);
    let record: PartitionRecord | undefined;
    for (let at = from; at < before && fetches < backwardFetchesMax; fetches += 1) {
      const next = await read(at, before);
      if (next === undefined) break;
      record = next.record ?? record;
      const [foreign, facts] = [union(found.foreign, next.foreign), mergeByIncarnation([...found.facts, ...next.facts])];
      found = { ...found, foreign, isBad: found.isBad || next.isBad, facts };
      at = next.next;
    }
    found = { ...found, record };
    if (record !== undefined || from === start) return found;
    before = from;
  }
  return found;
};

/** Returns each value once. The number is limited, because any writer to the topic may invent installations. */
const union = (some: readonly string[], others: readonly string[]): readonly string[] =>
  others.length === 0 ? some : [...new Set([...some, ...others])].slice(0, namedMax);
