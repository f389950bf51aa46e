import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { Signer } from '@waymark/signing/signer.ts';
import type { Broker, Tail } from '../broker.ts';
import type { KafkaAddress } from './client.ts';
import { type ConsumedCounts, consumeRecords } from './consume.ts';
import { dropRecords, emptyTopic } from './drop.ts';
import { lastRecords } from './last-records.ts';
import { createAlarm, type LeftOutCounts } from './left-out-alarm.ts';
import { createSender, type SentCounts } from './send.ts';
import { namedSince, readTail } from './tail.ts';
import { ensureTopic } from './topic.ts';

export type KafkaOptions = KafkaAddress & {
  readonly topic: string;
  readonly signer: Signer;
  /** The number of partitions: `partitionsOfCluster`, except in tests. */
  readonly partitions?: number;
};

/** Counts since the start: records sent, left out because they are too large, received, and left out because they cannot be trusted. */
export type KafkaCounts = Readonly<SentCounts & ConsumedCounts & LeftOutCounts>;

export type KafkaBroker = Broker & {
  readonly counts: () => KafkaCounts;
  /** Deletes the records of a partition before its last one, once the last one is at or beyond a position.
   * @returns false where it has not reached the position
   * @throws BrokerUnavailable */
  readonly drop: (partition: number, through: Position, installation: string) => Promise<boolean>;
  /** Returns the installations that records since then name, including records whose signatures this process cannot verify.
   * @throws BrokerUnavailable */
  readonly named: (since: Tail) => Promise<readonly string[]>;
  /** Deletes all records of the topic, of every writer.
   * @throws BrokerUnavailable */
  readonly empty: () => Promise<void>;
  /** Returns the current warnings about the topic, for operators. */
  readonly warnings: () => readonly string[];
};

/** Opens a broker that keeps the log's events as signed JSON records on one Kafka topic, with one Kafka partition for each partition. */
export const openKafkaBroker = ({ topic: name, partitions = partitionsOfCluster, signer, ...address }: KafkaOptions): KafkaBroker => {
  const counts = { sent: 0, tooLarge: 0, received: 0, unsigned: 0, foreign: 0, forged: 0, malformed: 0 };
  const topic = { topic: name, partitions };
  const sender = createSender(address, name, counts, signer);
  const alarm = createAlarm(name, counts, address.logger);
  return {
    ensure: () => ensureTopic(address, topic),
    last: (installation) => lastRecords(address, topic, { signer, installation }),
    tail: (installation, since) => readTail(address, topic, { signer, installation }, since),
    send: sender.send,
    consume: (consumption) => consumeRecords(address, topic, { counts, alarm, signer }, consumption),
    close: sender.close,
    counts: () => ({ ...counts }),
    drop: (partition, through, installation) => dropRecords(address, topic, { partition, through }, { signer, installation }),
    named: (since) => namedSince(address, topic, signer, since),
    empty: () => emptyTopic(address, topic),
    warnings: alarm.warnings,
  };
};
