import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { SqliteEventLog } from '@waymark/event-log/sqlite.ts';
import { type ObserveRequest, requestMetrics } from '@waymark/http/metrics.ts';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type LagSnapshot, lagBuckets } from './lag.ts';
import type { ProjectorMessage } from './projector-thread.ts';

export type Metrics = {
  readonly observe: ObserveRequest;
  /** The log, with its appends timed. */
  readonly timed: (log: EventLog) => EventLog;
  /** What a scraper gets. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
};

const appendBuckets = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];

export const metricsOf = (log: SqliteEventLog): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const observe = requestMetrics(registry);
  const refused = new Counter({
    name: 'waymark_refused_writes_total',
    help: 'Writes that were answered with an error, by status.',
    labelNames: ['status'],
    registers: [registry],
  });
  const appends = new Histogram({
    name: 'waymark_append_duration_seconds',
    help: 'Time from an append to its acknowledgement, which the read side has seen by then.',
    buckets: appendBuckets,
    registers: [registry],
  });
  gauge(registry, 'waymark_append_queue_events', 'Events on their way into the log.', () => log.waiting().events);
  gauge(registry, 'waymark_append_queue_characters', 'Their size.', () => log.waiting().characters);
  gauge(registry, 'waymark_log_head', 'Position of the last event of the log.', async () => (await log.state()).head);
  gauge(registry, 'waymark_read_position', 'Position that the read side stands at.', log.followed);
  return {
    observe: (method, route, status, seconds) => {
      observe(method, route, status, seconds);
      if (status >= 400 && method !== 'GET' && method !== 'HEAD') refused.inc({ status });
    },
    timed: (timedLog) => ({
      ...timedLog,
      append: async (...args) => {
        const stop = appends.startTimer();
        const appended = await timedLog.append(...args);
        stop();
        return appended;
      },
    }),
    text: async () => `${await registry.metrics()}\n${lagText(await lagOf(log))}`,
    contentType: registry.contentType,
  };
};

const gauge = (registry: Registry, name: string, help: string, read: () => number | Promise<number>): void => {
  const made: Gauge = new Gauge({ name, help, registers: [registry], collect: async () => made.set(await read()) });
};

const lagOf = async (log: SqliteEventLog): Promise<LagSnapshot> =>
  (await log.tell({ kind: 'lag' } satisfies ProjectorMessage)) as LagSnapshot;

/** The projector counts in its own thread: its histogram is written out here. */
const lagText = ({ counts, sum }: LagSnapshot): string => {
  const name = 'waymark_projection_lag_seconds';
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return `${name}_bucket{le="${lagBuckets[index] ?? '+Inf'}"} ${total}`;
  });
  const help = `# HELP ${name} Time from an event's commit in the log to its commit in the read side.\n# TYPE ${name} histogram`;
  return [help, ...buckets, `${name}_sum ${sum}`, `${name}_count ${total}`, ''].join('\n');
};
