import type { KafkaCounts } from '@waymark/broker/kafka/broker.ts';
import { addCounter } from '@waymark/runtime/collected-metrics.ts';
import type { Registry } from 'prom-client';

/** Adds the counters of the traffic over Kafka. */
export const addKafkaMetrics = (registry: Registry, counts: () => KafkaCounts): void => {
  for (const [count, [name, help]] of Object.entries(counters) as [keyof KafkaCounts, readonly [string, string]][])
    addCounter(registry, { name, help, read: () => counts()[count] });
};

/** The name and the help text of each counter. */
const counters: Readonly<Record<keyof KafkaCounts, readonly [name: string, help: string]>> = {
  sent: ['waymark_kafka_sent_total', 'Records sent to Kafka.'],
  tooLarge: [
    'waymark_kafka_too_large_total',
    'Records that Kafka does not take because of their size: they are read from the event log instead.',
  ],
  received: ['waymark_kafka_received_total', 'Records received from Kafka.'],
  unsigned: ['waymark_kafka_unsigned_total', 'Records left out because they have no signature, as those of v0.1.0.'],
  foreign: ['waymark_kafka_foreign_total', 'Records left out because they name another installation: it writes to this topic.'],
  forged: ['waymark_kafka_forged_total', 'Records left out because their signature is wrong: somebody else writes to the topic.'],
  malformed: ['waymark_kafka_malformed_total', 'Records left out because they are none, although they are signed.'],
};
