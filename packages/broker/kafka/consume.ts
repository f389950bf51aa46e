import type { Signer } from '@waymark/signing/signer.ts';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { Consumption, ReceivedRecord } from '../broker.ts';
import { closeQuietly, createKafkaClient, type KafkaAddress, retry, unavailable } from './client.ts';
import type { Alarm } from './left-out-alarm.ts';
import { commitMs, fetchBytesMax, fetchPartitionBytesMax, fetchWaitMs, heartbeatMs, metadataMs, rebalanceMs, sessionMs } from './limits.ts';
import { watchProgress } from './progress.ts';
import type { Topic } from './topic.ts';
import { type Trust, verifyRecord } from './trust.ts';

export type ConsumedFigures = { received: number };

export type Receiving = { readonly figures: ConsumedFigures; readonly alarm: Alarm; readonly signer: Signer };

/** Follows the partitions that the group gives to us, with a client of its own. @throws BrokerUnavailable, what `handle` threw */
export const consumeRecords = async (
  address: KafkaAddress,
  topic: Topic,
  { figures, alarm, signer }: Receiving,
  { installation, group, handle, doubted, assigned, signal }: Consumption,
): Promise<void> => {
  if (signal.aborted) return;
  const consumer = newConsumer(address, group);
  const over = Promise.withResolvers<void>();
  let running = true;
  const finish = (error?: Error): void => {
    running = false;
    if (error === undefined) over.resolve();
    else over.reject(error);
  };
  const abort = (): void => finish();
  signal.addEventListener('abort', abort, { once: true });
  const unwatch = watchProgress(consumer, (error) => finish(error));
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => assigned?.(payload.memberAssignment[topic.topic] ?? []));

  const believe = believing({ signer, installation }, alarm);
  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    if (!running || payload.isStale()) return;
    const { records, leftOut } = believe(payload);
    figures.received += records.length;
    if (leftOut) doubted?.(payload.batch.partition);
    try {
      await beating(payload.heartbeat, async () => {
        if (records.length > 0) await handle(payload.batch.partition, records);
      });
    } catch (error) {
      finish(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    payload.resolveOffset(payload.batch.lastOffset());
    await payload.commitOffsetsIfNecessary();
  };
  const starting = start(consumer, topic, eachBatch, () => running).catch((error: unknown) =>
    finish(unavailable('Records cannot be consumed', error)),
  );
  try {
    await over.promise;
  } finally {
    signal.removeEventListener('abort', abort);
    unwatch();
    // A consumer that is told to stop while it joins its group leaves a member there, for whom the others wait.
    await closeQuietly('consumer', () => starting.then(() => consumer.disconnect()), address.logger);
  }
};

const newConsumer = (address: KafkaAddress, groupId: string): Consumer =>
  createKafkaClient(address).consumer({
    groupId,
    allowAutoTopicCreation: false,
    sessionTimeout: sessionMs,
    rebalanceTimeout: rebalanceMs,
    heartbeatInterval: heartbeatMs,
    metadataMaxAge: metadataMs,
    minBytes: 1,
    maxBytes: fetchBytesMax,
    maxBytesPerPartition: fetchPartitionBytesMax,
    maxWaitTimeInMs: fetchWaitMs,
    // A consumer that gives up tells us, and is replaced. One that never gave up could not be ended either.
    retry: { ...retry, restartOnFailure: async () => false },
  });

const start = async (
  consumer: Consumer,
  { topic, partitions }: Topic,
  eachBatch: (payload: EachBatchPayload) => Promise<void>,
  isRunning: () => boolean,
): Promise<void> => {
  await consumer.connect();
  // Where the group has no offset, or one that the topic does not reach (any more): what was handled before is skipped by its position.
  await consumer.subscribe({ topic, fromBeginning: true });
  if (!isRunning()) return;
  await consumer.run({
    // An offset is resolved when its batch was handled, and never because a handler returned.
    eachBatchAutoResolve: false,
    autoCommit: false,
    autoCommitInterval: commitMs,
    partitionsConsumedConcurrently: partitions,
    eachBatch,
  });
};

type Believed = { readonly records: readonly ReceivedRecord[]; readonly leftOut: boolean };

/** Leaves out what cannot be believed: the next record's `previous` then shows the gap, if there is one, and the log has what is missing. */
const believing = (trust: Trust, alarm: Alarm): ((payload: EachBatchPayload) => Believed) => {
  /** Partitions whose last record was left out. */
  const doubts = new Set<number>();
  return ({ batch: { messages, partition } }) => {
    const records: ReceivedRecord[] = [];
    let leftOut = false;
    for (const message of messages) {
      const one = verifyRecord(message, partition, trust);
      if (one.untrusted !== undefined) {
        alarm.leftOut(one, { partition, offset: message.offset });
        doubts.add(partition);
        leftOut = true;
      } else records.push(doubts.delete(partition) ? { ...one.record, doubtful: true } : one.record);
    }
    return { records, leftOut };
  };
};

/** Whoever handles for long would lose its partitions without this. When they are shared out anew it is told, and finishes first. */
const beating = async (heartbeat: () => Promise<void>, work: () => Promise<void>): Promise<void> => {
  const timer = setInterval(() => void heartbeat().catch(() => undefined), heartbeatMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
};
