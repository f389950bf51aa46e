import { addCounter, addGauge } from '@waymark/runtime/collected-metrics.ts';
import { Registry } from 'prom-client';
import type { RelayReport } from './stats.ts';

/** Returns a registry with the metrics of a relay. */
export const relayMetrics = (report: () => RelayReport): Registry => {
  const registry = new Registry();
  const gauge = (name: string, help: string, read: (now: RelayReport) => number): void =>
    addGauge(registry, { name, help, read: () => read(report()) });
  gauge('waymark_relay_active', 'Whether it relays, or stands by for the one that does.', ({ active }) => (active ? 1 : 0));
  gauge('waymark_relay_troubled', 'Whether it should relay and cannot.', ({ reason }) => (reason === undefined ? 0 : 1));
  gauge('waymark_relay_head_position', 'Position that the log was seen to end at.', ({ head }) => head);
  gauge('waymark_relay_read_position', 'Position that the log was read up to.', ({ reached }) => reached);
  addGauge(registry, {
    name: 'waymark_relay_position',
    help: 'Position that a partition was told of last.',
    labels: ['partition'],
    read: () => report().positions.map((position, partition) => [{ partition }, position]),
  });
  addCounter(registry, {
    name: 'waymark_relay_records_total',
    help: 'Records sent.',
    labels: ['kind'],
    read: () => [
      [{ kind: 'event' }, report().events],
      [{ kind: 'watermark' }, report().watermarks],
    ],
  });
  addCounter(registry, {
    name: 'waymark_relay_failures_total',
    help: 'How often it was cut off from Kafka or from the log.',
    read: () => report().failures,
  });
  return registry;
};
