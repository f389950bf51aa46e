import type { ObserveRequest } from '@waymark/http/metrics/request-metrics.ts';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';

/** Creates the registry of a process, with the metrics of every Node process. */
export const createRegistry = (): Registry => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
};

/** Returns a function that also counts refused writes. */
export const countRefusedWrites = (observe: ObserveRequest, registry: Registry): ObserveRequest => {
  const refused = new Counter({
    name: 'waymark_refused_writes_total',
    help: 'Writes that were answered with an error, by status.',
    labelNames: ['status'],
    registers: [registry],
  });
  return (method, route, status, seconds) => {
    observe(method, route, status, seconds);
    if (status >= 400 && method !== 'GET' && method !== 'HEAD') refused.inc({ status });
  };
};
