import type { Signer } from '@waymark/signing/signer.ts';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { Consumption, ReceivedRecord } from '../broker.ts';
import { closeQuietly, createKafkaClient, type KafkaAddress, retry, unavailable } from './client.ts';
import type { Alarm } from './left-out-alarm.ts';
import { commitMs, fetchBytesMax, fetchPartitionBytesMax, fetchWaitMs, heartbeatMs, metadataMs, rebalanceMs, sessionMs } from './limits.ts';
import { watchProgress } from './progress.ts';
import type { Topic } from './topic.ts';
import { type Trust, verifyRecords } from './trust.ts';

export type ConsumedCounts = { received: number };

export type Receiving = { readonly counts: ConsumedCounts; readonly alarm: Alarm; readonly signer: Signer };

/** Consumes the partitions that the group assigns to this process, with a client of its own.
 * @throws BrokerUnavailable, the error that `handle` threw */
export const consumeRecords = async (
  address: KafkaAddress,
  topic: Topic,
  { counts, alarm, signer }: Receiving,
  { installation, group, handle, recordsLeftOut, assigned, signal }: Consumption,
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

  const believe = createRecordFilter({ signer, installation }, alarm);
  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    if (!running || payload.isStale()) return;
    const { records, leftOut } = believe(payload);
    counts.received += records.length;
    if (leftOut) recordsLeftOut?.(payload.batch.partition);
    try {
      await withHeartbeats(payload.heartbeat, async () => {
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
    // A consumer that is stopped while it joins its group leaves a member behind, and the other members wait for it.
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
    // Otherwise the broker withholds all records behind another writer's open transaction. Signatures decide which records count.
    readUncommitted: true,
    // A consumer that gives up reports an error and is replaced. A consumer that never gives up could not be closed either.
    retry: { ...retry, restartOnFailure: async () => false },
  });

const start = async (
  consumer: Consumer,
  { topic, partitions }: Topic,
  eachBatch: (payload: EachBatchPayload) => Promise<void>,
  isRunning: () => boolean,
): Promise<void> => {
  await consumer.connect();
  // This applies where the group has no offset, or one that the topic does not have (any more). Records that were handled before are
  // skipped by their position.
  await consumer.subscribe({ topic, fromBeginning: true });
  if (!isRunning()) return;
  await consumer.run({
    // An offset is resolved only after its batch was handled, not whenever a handler returns.
    eachBatchAutoResolve: false,
    autoCommit: false,
    autoCommitInterval: commitMs,
    partitionsConsumedConcurrently: partitions,
    eachBatch,
  });
};

type FilteredBatch = { readonly records: readonly ReceivedRecord[]; readonly leftOut: boolean };

/** Creates a filter that leaves out records that cannot be trusted. The `previous` of the next record then shows the gap, if there is one,
 * and the log has the missing events. */
const createRecordFilter = (trust: Trust, alarm: Alarm): ((payload: EachBatchPayload) => FilteredBatch) => {
  /** Partitions whose last record was left out. */
  const doubts = new Set<number>();
  return ({ batch: { messages, partition } }) => {
    const records: ReceivedRecord[] = [];
    let leftOut = false;
    for (const [nth, one] of verifyRecords(messages, partition, trust).entries()) {
      if (one.untrusted !== undefined) {
        alarm.leftOut(one, { partition, offset: messages[nth]?.offset ?? '' });
        doubts.add(partition);
        leftOut = true;
      } else records.push(doubts.delete(partition) ? { ...one.record, followsLeftOut: true } : one.record);
    }
    return { records, leftOut };
  };
};

/** Sends heartbeats while a handler runs; a slow handler would lose its partitions without them. During a rebalance the handler finishes
 * first. */
const withHeartbeats = async (heartbeat: () => Promise<void>, work: () => Promise<void>): Promise<void> => {
  const timer = setInterval(() => void heartbeat().catch(() => undefined), heartbeatMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
};
