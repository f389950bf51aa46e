import type { KafkaFigures } from '@waymark/event-log/kafka.ts';

const help: Readonly<Record<keyof KafkaFigures, string>> = {
  sent: 'Records sent to Kafka.',
  tooLarge: 'Records that Kafka does not take because of their size: they are read from the event log instead.',
  received: 'Records received from Kafka.',
  unsigned: 'Records left out because they have no signature, as those of v0.1.0.',
  foreign: 'Records left out because they name another installation: it writes to this topic.',
  forged: 'Records left out because their signature is wrong: somebody else writes to the topic.',
  malformed: 'Records left out because they are none, although they are signed.',
};

/** Prometheus' text of what went over Kafka. */
export const kafkaText = (figures: KafkaFigures): string =>
  (Object.keys(help) as (keyof KafkaFigures)[])
    .map((name) => {
      const metric = `waymark_kafka_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`;
      return `# HELP ${metric} ${help[name]}\n# TYPE ${metric} counter\n${metric} ${figures[name]}\n`;
    })
    .join('');
