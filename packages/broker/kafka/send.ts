import type { Signer } from '@waymark/signing/signer.ts';
import { type Message, Partitioners, type Producer, type RecordMetadata } from 'kafkajs';
import { type Broker, BrokerUnavailable, type PartitionRecord } from '../broker.ts';
import { closeQuietly, createKafkaClient, type KafkaAddress, protocolError, retryCall, unavailable, withTimeout } from './client.ts';
import { encoded } from './codec.ts';
import { messageBytesMax, questionMs, requestBytesMax, requestMs, requestRecordsMax } from './limits.ts';
import { signHeaders, type Trust } from './trust.ts';

export type Sender = {
  readonly send: Broker['send'];
  readonly close: () => Promise<void>;
};

export type SentCounts = { sent: number; tooLarge: number };

type Outgoing = { readonly message: Message & { readonly partition: number }; readonly bytes: number; readonly position: number };

/** Creates a sender. It sends one request at a time, acknowledged by all in-sync replicas. The library's own retries and idempotence are
 * off: with them it loses and duplicates records that it reports as written. A failed request may have been carried out, or may still be. */
export const createSender = (address: KafkaAddress, topic: string, counts: SentCounts, signer: Signer): Sender => {
  const connection = producerConnection(address);
  let turn: Promise<unknown> = Promise.resolve();

  const leaveOut = ({ message, bytes, position }: Outgoing): void => {
    counts.tooLarge += 1;
    address.logger.error(
      { partition: message.partition, position, bytes },
      'a record is too large for Kafka: readers read the event from the log',
    );
  };
  const request = async (outgoing: readonly Outgoing[]): Promise<void> => {
    try {
      const acknowledged = await retryCall(async () => sendOnce(await connection.producer(), topic, outgoing));
      assertWritten(outgoing, acknowledged);
      counts.sent += outgoing.length;
    } catch (error) {
      if (protocolError(error) !== 'MESSAGE_TOO_LARGE') throw error;
      // The topic has a lower limit than the one it was created with. Records of the request that were written are only written again.
      const [first] = outgoing;
      if (first === undefined) return;
      if (outgoing.length === 1) return leaveOut(first);
      const half = Math.ceil(outgoing.length / 2);
      await request(outgoing.slice(0, half));
      await request(outgoing.slice(half));
    }
  };
  const sendAll: Sender['send'] = async (records, installation, facts) => {
    try {
      for (const outgoing of requests(records, { signer, installation, facts }, leaveOut)) await request(outgoing);
    } catch (error) {
      // The result of its last request is not awaited.
      void connection.discard();
      throw unavailable('Records could not be sent', error);
    }
  };
  return {
    send: (...what) => {
      const sending = turn.then(() => sendAll(...what));
      turn = sending.catch(() => undefined);
      return sending;
    },
    close: async () => {
      await turn;
      await connection.discard();
    },
  };
};

/** Holds a producer, which connects at first use and again after it was discarded. */
const producerConnection = (address: KafkaAddress) => {
  let producer: Promise<Producer> | undefined;
  return {
    producer: (): Promise<Producer> => {
      producer ??= connect(address);
      return producer;
    },
    discard: async (): Promise<void> => {
      const old = producer;
      producer = undefined;
      const open = await old?.catch(() => undefined);
      if (open) await closeQuietly('producer', () => open.disconnect(), address.logger);
    },
  };
};

const connect = async (address: KafkaAddress): Promise<Producer> => {
  const producer = createKafkaClient(address).producer({
    allowAutoTopicCreation: false,
    // Every record names its partition. A different partitioner in another release of the library therefore makes no difference.
    createPartitioner: Partitioners.DefaultPartitioner,
    idempotent: false,
    maxInFlightRequests: 1,
    retry: { retries: 0 },
  });
  try {
    await withTimeout(questionMs, 'producer', producer.connect());
    return producer;
  } catch (error) {
    await closeQuietly('producer', () => producer.disconnect(), address.logger);
    throw error;
  }
};

/** Groups records into requests, one at a time, so that only a few records are in memory twice. */
const requests = function* (
  records: readonly PartitionRecord[],
  signing: Signing,
  leaveOut: (one: Outgoing) => void,
): Generator<readonly Outgoing[]> {
  let outgoing: Outgoing[] = [];
  let bytes = 0;
  for (const record of records) {
    const one = toOutgoing(record, signing);
    if (one.bytes > messageBytesMax) {
      leaveOut(one);
      continue;
    }
    if (outgoing.length === requestRecordsMax || (outgoing.length > 0 && bytes + one.bytes > requestBytesMax)) {
      yield outgoing;
      outgoing = [];
      bytes = 0;
    }
    outgoing.push(one);
    bytes += one.bytes;
  }
  if (outgoing.length > 0) yield outgoing;
};

/** `facts`: the known facts that watermarks carry. */
type Signing = Trust & { readonly facts: string | undefined };

const toOutgoing = (record: PartitionRecord, signing: Signing): Outgoing => {
  const value = encoded(record);
  const headers = signHeaders(signing, record.partition, value, record.event === null ? signing.facts : undefined);
  return {
    // The key is used only if an operator enables compaction of the topic.
    message: { partition: record.partition, key: String(record.partition), value, headers },
    bytes: value.length,
    position: record.position,
  };
};

const sendOnce = (producer: Producer, topic: string, outgoing: readonly Outgoing[]): Promise<RecordMetadata[]> =>
  withTimeout(questionMs, 'send', producer.send({ topic, acks: -1, timeout: requestMs, messages: outgoing.map(({ message }) => message) }));

/** Checks that each partition acknowledged. The library silently drops records for a partition that it does not know. */
const assertWritten = (outgoing: readonly Outgoing[], acknowledged: readonly RecordMetadata[]): void => {
  const written = new Set(acknowledged.filter(({ errorCode }) => errorCode === 0).map(({ partition }) => partition));
  const missing = outgoing.find(({ message }) => !written.has(message.partition));
  if (missing) throw new BrokerUnavailable(`Partition ${missing.message.partition} did not acknowledge its records.`);
};
