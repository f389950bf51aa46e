import { histogramText, newSeries, observeIn, type Series } from './histogram.ts';

/** Notes an answered request. */
export type ObserveRequest = (method: string, route: string, status: number, seconds: number) => void;

export type RequestMetrics = {
  readonly observe: ObserveRequest;
  /** Prometheus' text format. */
  readonly text: () => string;
};

const bounds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);

/** Counts and times requests by method, route and status. Methods that nobody knows count as one, so that nobody can make it grow. */
export const requestMetrics = (): RequestMetrics => {
  const series = new Map<string, Series>();
  return {
    observe: (method, route, status, seconds) => {
      const labels = `method="${methods.has(method) ? method : 'other'}",route="${route}",status="${status}"`;
      const known = series.get(labels) ?? newSeries(bounds);
      if (known.sum === 0) series.set(labels, known);
      observeIn(known, bounds, seconds);
    },
    text: () =>
      histogramText({
        name: 'waymark_http_request_duration_seconds',
        help: 'Time from a request to its answer.',
        bounds,
        series,
      }),
  };
};
