import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { NoteFailure } from '@waymark/http/authentication-failures.ts';
import { createSeries, observeIn, type Series } from '@waymark/http/metrics/histogram.ts';
import { createRequestMetrics, type ObserveRequest } from '@waymark/http/metrics/request-metrics.ts';
import { createFailureNotes } from '@waymark/runtime/authentication-failures.ts';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';

/** What one thread counts and measures. */
export type ThreadMetrics = {
  readonly observe: ObserveRequest;
  /** Counts and logs a request that was not authenticated. */
  readonly noteFailure: NoteFailure;
  /** Returns the log with its appends timed. */
  readonly timed: (log: EventLog) => EventLog;
  readonly snapshot: () => Promise<MetricsSnapshot>;
  readonly registry: Registry;
};

/** The metrics of a thread at one moment, as they are sent to the main thread. */
export type MetricsSnapshot = {
  /** The times of requests, by their labels in the Prometheus format. */
  readonly requests: ReadonlyMap<string, Series>;
  /** The times of appends. */
  readonly appends: Series;
  /** All other metrics. */
  readonly others: readonly MetricObjectWithValues<MetricValue<string>>[];
};

export const appendBounds = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];

export const createThreadMetrics = (logger: Logger): ThreadMetrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = createRequestMetrics();
  const appends = createSeries(appendBounds);
  const refused = new Counter({
    name: 'waymark_refused_writes_total',
    help: 'Writes that were answered with an error, by status.',
    labelNames: ['status'],
    registers: [registry],
  });
  return {
    observe: (method, route, status, seconds) => {
      requests.observe(method, route, status, seconds);
      if (status >= 400 && method !== 'GET' && method !== 'HEAD') refused.inc({ status });
    },
    noteFailure: createFailureNotes(logger, registry),
    timed: (timedLog) => ({
      ...timedLog,
      append: async (...args) => {
        const startedMs = performance.now();
        const appended = await timedLog.append(...args);
        observeIn(appends, appendBounds, (performance.now() - startedMs) / 1000);
        return appended;
      },
    }),
    snapshot: async () => ({ requests: requests.series, appends, others: await registry.getMetricsAsJSON() }),
    registry,
  };
};
