import type { KafkaCounts } from '@waymark/broker/kafka/broker.ts';

/** Returns the counters of the traffic over Kafka in the text format of Prometheus. */
export const kafkaText = (figures: KafkaCounts): string =>
  [
    counter('waymark_kafka_sent_total', 'Records sent to Kafka.', figures.sent),
    counter(
      'waymark_kafka_too_large_total',
      'Records that Kafka does not take because of their size: they are read from the event log instead.',
      figures.tooLarge,
    ),
    counter('waymark_kafka_received_total', 'Records received from Kafka.', figures.received),
    counter('waymark_kafka_unsigned_total', 'Records left out because they have no signature, as those of v0.1.0.', figures.unsigned),
    counter(
      'waymark_kafka_foreign_total',
      'Records left out because they name another installation: it writes to this topic.',
      figures.foreign,
    ),
    counter(
      'waymark_kafka_forged_total',
      'Records left out because their signature is wrong: somebody else writes to the topic.',
      figures.forged,
    ),
    counter('waymark_kafka_malformed_total', 'Records left out because they are none, although they are signed.', figures.malformed),
  ].join('');

const counter = (metric: string, help: string, value: number): string =>
  `# HELP ${metric} ${help}\n# TYPE ${metric} counter\n${metric} ${value}\n`;
