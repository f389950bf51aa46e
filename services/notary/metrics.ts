import { addCounter, addGauge } from '@waymark/runtime/collected-metrics.ts';
import type { Registry } from 'prom-client';
import type { NotaryStatus } from './status.ts';

/** Adds the metrics of a notary to a registry. */
export const addNotaryMetrics = (registry: Registry, read: () => NotaryStatus | Promise<NotaryStatus>): void => {
  const gauge = (name: string, help: string, of: (status: NotaryStatus) => number): void =>
    addGauge(registry, { name, help, read: async () => of(await read()) });
  gauge('waymark_notary_refusing', 'Whether the notary refuses to sign, or cannot; the status says why.', ({ state }) =>
    Number(state === 'refusing'),
  );
  gauge('waymark_notary_position', 'Position that the notary has read the log up to.', ({ position }) => position);
  gauge('waymark_notary_checkpoint_number', 'Number of the last checkpoint.', ({ number }) => number);
  gauge('waymark_notary_checkpoint_position', 'Position that the last checkpoint covers.', ({ through }) => through);
  gauge('waymark_notary_checkpoint_timestamp_seconds', 'Time of the last checkpoint; 0 before the first one.', ({ time }) =>
    time === undefined ? 0 : Date.parse(time) / 1_000,
  );
  addCounter(registry, {
    name: 'waymark_notary_checkpoints_total',
    help: 'Checkpoints that this process has signed.',
    read: async () => (await read()).signed,
  });
};
