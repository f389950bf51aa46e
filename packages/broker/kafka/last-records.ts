import { type KnownFacts, mergeFacts } from '@waymark/event-log/facts/facts.ts';
import { type Broker, type Cluster, type Kafka, type KafkaMessage, PartitionAssigners } from 'kafkajs';
import { BrokerUnavailable, type LastRecords, type PartitionRecord } from '../broker.ts';
import { closeQuietly, createKafkaClient, type KafkaAddress, retryCall, unavailable, withTimeout } from './client.ts';
import { fetchPartitionBytesMax, fetchWaitMs, lookBackFetchesMax, lookBackOffsets, namedMax, questionMs } from './limits.ts';
import type { Topic } from './topic.ts';
import { factsIn, type Trust, verifyRecord } from './trust.ts';

/** The last record of each partition that is ours, read straight from the brokers that lead them, in no group's name.
 * @throws BrokerUnavailable */
export const lastRecords = (address: KafkaAddress, topic: Topic, trust: Trust): Promise<LastRecords> =>
  asked(address, topic, (cluster) => readLast(cluster, topic, trust, address));

/** Asks the brokers that lead a topic's partitions. @throws BrokerUnavailable */
export const asked = async <Answer>(
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

const readLast = async (cluster: Cluster, { topic, partitions }: Topic, trust: Trust, { logger }: KafkaAddress): Promise<LastRecords> => {
  const numbers = partitionsOf(partitions);
  const [starts, ends] = [await offsets(cluster, topic, numbers, true), await offsets(cluster, topic, numbers, false)];
  const ofPartitions: (PartitionRecord | undefined)[] = [];
  let foreign: readonly string[] = [];
  let facts: readonly KnownFacts[] = [];
  // One after the other: questions at once to a broker that is just coming back have the library open a connection for each.
  for (const partition of numbers) {
    const [start, end] = [starts.get(partition), ends.get(partition)];
    const found = await lastBetween(cluster, { topic, partition, start, end }, trust);
    if (found.record === undefined && found.isBad) logger.error({ partition, start, end }, 'the last records of a partition are not ours');
    ofPartitions.push(found.record);
    foreign = together(foreign, found.foreign);
    facts = merged([...facts, ...found.facts]);
  }
  return { ofPartitions, foreign, facts };
};

/** One for each incarnation. */
const merged = (all: readonly KnownFacts[]): readonly KnownFacts[] => {
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

/** What a partition has last from an offset on, before another. @throws BrokerUnavailable */
export const lastBetween = async (cluster: Cluster, { topic, partition, start, end }: Stretch, trust: Trust): Promise<Found> => {
  const [leader] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
  if (start === undefined || end === undefined || leader === undefined) {
    throw new BrokerUnavailable(`Partition ${partition} of ${topic} is led by nobody.`);
  }
  const broker = await cluster.findBroker({ nodeId: leader });
  return lookBack(reader(broker, topic, partition, trust), start, end);
};

/** Where each partition starts or ends. Offsets are far from what a number cannot hold. */
export const offsets = async (
  cluster: Cluster,
  topic: string,
  numbers: readonly number[],
  fromBeginning: boolean,
): Promise<Map<number, number>> => {
  const [found] = await cluster.fetchTopicsOffset([{ topic, partitions: numbers.map((partition) => ({ partition })), fromBeginning }]);
  return new Map(found?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
};

/** What was found before an offset: the last record of ours, and what somebody else wrote. */
type Found = {
  readonly record: PartitionRecord | undefined;
  /** Installations that foreign records name. */
  readonly foreign: readonly string[];
  /** Whether some record is neither ours nor without a signature. */
  readonly isBad: boolean;
  /** What the records bring that is known of the log. */
  readonly facts: readonly KnownFacts[];
};
type Read = Found & { readonly next: number };
/** Reads from an offset on, before another: what is there, and where to go on; undefined where there is nothing. */
type Reader = (from: number, before: number) => Promise<Read | undefined>;

type FetchedMessage = KafkaMessage & { readonly isControlRecord?: boolean };
type Fetched = { readonly responses: readonly { readonly partitions: readonly { readonly messages: readonly FetchedMessage[] }[] }[] };

const reader =
  (broker: Broker, topic: string, partition: number, trust: Trust): Reader =>
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
    const all = messages
      .filter(({ isControlRecord }) => isControlRecord !== true)
      .map((message) => verifyRecord(message, partition, trust));
    return {
      record: all.findLast(({ record }) => record !== undefined)?.record,
      foreign: together(
        [],
        all.flatMap(({ installation }) => installation ?? []),
      ),
      isBad: all.some(({ untrusted }) => untrusted !== undefined && untrusted !== 'unsigned'),
      facts: merged(messages.flatMap((message) => factsIn(message, trust) ?? [])),
      next: Number(last.offset) + 1,
    };
  };

/** Offsets may have no record (a transaction's marks, what was compacted) or one that is not ours: then further back, within bounds. */
const lookBack = async (read: Reader, start: number, end: number): Promise<Found> => {
  let fetches = 0;
  let before = end;
  let found: Found = { record: undefined, foreign: [], isBad: false, facts: [] };
  for (const back of lookBackOffsets) {
    const from = Math.max(start, end - back);
    let record: PartitionRecord | undefined;
    for (let at = from; at < before && fetches < lookBackFetchesMax; fetches += 1) {
      const next = await read(at, before);
      if (next === undefined) break;
      record = next.record ?? record;
      const [foreign, facts] = [together(found.foreign, next.foreign), merged([...found.facts, ...next.facts])];
      found = { ...found, foreign, isBad: found.isBad || next.isBad, facts };
      at = next.next;
    }
    found = { ...found, record };
    if (record !== undefined || from === start) return found;
    before = from;
  }
  return found;
};

/** Each once; somebody who writes to the topic may make up any number. */
const together = (some: readonly string[], others: readonly string[]): readonly string[] =>
  others.length === 0 ? some : [...new Set([...some, ...others])].slice(0, namedMax);
