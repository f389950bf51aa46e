import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import type { NoteFailure } from '@waymark/http/authentication-failures.ts';
import { createSeries, histogramText, observeIn, type Series } from '@waymark/http/metrics/histogram.ts';
import { createRequestMetrics, type ObserveRequest } from '@waymark/http/metrics/request-metrics.ts';
import { createFailureNotes } from '@waymark/runtime/authentication-failures.ts';
import { addGauge } from '@waymark/runtime/collected-metrics.ts';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { lagBounds } from './read-side/lag.ts';
import type { ProjectorMessage } from './read-side/projector-thread.ts';

export type Metrics = {
  readonly observe: ObserveRequest;
  /** Counts and logs a request that was not authenticated. */
  readonly noteFailure: NoteFailure;
  /** Returns the log with its appends timed. */
  readonly timed: (log: EventLog) => EventLog;
  /** Returns the metrics as a scraper reads them. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
};

const appendBounds = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];

export const createMetrics = (log: SqliteEventLog, logger: Logger): Metrics => {
  const registry = registryFor(log);
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
    text: async () => [await registry.metrics(), requests.text(), appendText(appends), lagText(await lagOf(log))].join('\n'),
    contentType: registry.contentType,
  };
};

const registryFor = (log: SqliteEventLog): Registry => {
  const registry = new Registry();
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void => addGauge(registry, { name, help, read });
  collectDefaultMetrics({ register: registry });
  gauge('waymark_append_queue_events', 'Events on their way into the log.', () => log.waiting().events);
  gauge('waymark_append_queue_characters', 'Their size.', () => log.waiting().characters);
  gauge('waymark_log_head', 'Position of the last event of the log.', async () => (await log.state()).head);
  gauge('waymark_read_position', 'Position that the read side stands at.', log.followed);
  return registry;
};

const appendText = (series: Series): string =>
  histogramText({
    name: 'waymark_append_duration_seconds',
    help: 'Time from an append to its acknowledgement, which the read side has seen by then.',
    bounds: appendBounds,
    series: new Map([['', series]]),
  });

/** Reads the lag from the thread of the projector, which measures it. */
const lagOf = async (log: SqliteEventLog): Promise<Series> => (await log.askFollower({ kind: 'lag' } satisfies ProjectorMessage)) as Series;

const lagText = (series: Series): string =>
  histogramText({
    name: 'waymark_projection_lag_seconds',
    help: "Time from an event's commit in the log to its commit in the read side.",
    bounds: lagBounds,
    series: new Map([['', series]]),
  });
