import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { histogramText, type Series, sumOf, sumsOf } from '@waymark/http/metrics/histogram.ts';
import { requestsText } from '@waymark/http/metrics/request-metrics.ts';
import { addNotaryMetrics, initialStatus } from '@waymark/notary/app.ts';
import { addCounter, addGauge } from '@waymark/runtime/collected-metrics.ts';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { HistoryThread } from '../history/history.ts';
import { lagBounds } from '../read-side/lag.ts';
import type { ProjectorMessage } from '../read-side/projector-thread.ts';
import type { HttpThreads } from '../threads/http-threads.ts';
import { appendBounds, type MetricsSnapshot, type ThreadMetrics } from './thread-metrics.ts';

/** The metrics of the process, as a scraper reads them. */
export type Metrics = { readonly text: () => Promise<string>; readonly contentType: string };

type MetricsSources = { readonly log: SqliteEventLog; readonly history: Pick<HistoryThread, 'position' | 'notary'> };

/** Creates the metrics of the process: those of the main thread, and those of the HTTP threads if there are any. */
export const createMetrics = ({ log, history }: MetricsSources, main: ThreadMetrics, threads: HttpThreads | undefined): Metrics => {
  const { registry } = main;
  addLogGauges(registry, log);
  addGauge(registry, {
    name: 'waymark_history_position',
    help: 'Position of the history in the log; -1 while it has none. It may be behind waymark_log_head under load.',
    read: () => history.position().catch(() => -1),
  });
  addNotaryMetrics(registry, () => history.notary().catch(() => initialStatus));
  if (threads) {
    addCounter(registry, {
      name: 'waymark_http_threads_unreported_total',
      help: 'Scrapes for which an HTTP thread did not report its metrics in time: it counts with its last ones.',
      read: threads.unreported,
    });
  }
  return {
    text: async () => {
      const all = [await main.snapshot(), ...((await threads?.metrics()) ?? [])];
      return [
        await registryOf(all, registry).metrics(),
        requestsText(sumsOf(all.map(({ requests }) => requests))),
        appendText(sumOf(all.map(({ appends }) => appends))),
        lagText(await lagOf(log)),
      ].join('\n');
    },
    contentType: registry.contentType,
  };
};

/** Returns the metrics of all threads together: counters are summed, and the gauges of an HTTP thread have its number as a label. */
const registryOf = ([main, ...threads]: readonly MetricsSnapshot[], registry: Registry): Registry => {
  if (main === undefined || threads.length === 0) return registry;
  return AggregatorRegistry.aggregate([main.others, ...threads.map(({ others }, index) => ofThread(others, index + 1))] as object[][]);
};

/** Those of a thread's metrics that are not already those of the process. */
const ofThread = (metrics: MetricsSnapshot['others'], thread: number): MetricsSnapshot['others'] =>
  metrics.flatMap((metric) => {
    if (metric.name.startsWith('waymark_')) return [metric];
    if (!perThread.test(metric.name)) return [];
    return [{ ...metric, values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, thread } })) }];
  });

/** The names of the metrics of an event loop and of a heap. */
const perThread = /^nodejs_(eventloop|heap)_/;

const addLogGauges = (registry: Registry, log: SqliteEventLog): void => {
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void => addGauge(registry, { name, help, read });
  gauge('waymark_append_queue_events', 'Events on their way into the log.', () => log.waiting().events);
  gauge('waymark_append_queue_characters', 'Their size.', () => log.waiting().characters);
  gauge('waymark_log_head', 'Position of the last event of the log.', async () => (await log.state()).head);
  gauge('waymark_read_position', 'Position that the read side stands at.', log.followed);
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
