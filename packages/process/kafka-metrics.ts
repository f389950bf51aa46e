import type { KafkaFigures } from '@waymark/event-log/kafka.ts';

const help: Readonly<Record<keyof KafkaFigures, string>> = {
  sent: 'Records sent to Kafka.',
  tooLarge: 'Records that Kafka does not take because of their size: they are read from the event log instead.',
  received: 'Records received from Kafka.',
  malformed: 'Records on the topic that are none of ours: somebody else writes to it.',
};

/** Prometheus' text of what went over Kafka. */
export const kafkaText = (figures: KafkaFigures): string =>
  (Object.keys(help) as (keyof KafkaFigures)[])
    .map((name) => {
      const metric = `waymark_kafka_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`;
      return `# HELP ${metric} ${help[name]}\n# TYPE ${metric} counter\n${metric} ${figures[name]}\n`;
    })
    .join('');
