import { createSeries, histogramText, observeIn, type Series } from './histogram.ts';

/** Records an answered request. */
export type ObserveRequest = (method: string, route: string, status: number, seconds: number) => void;

export type RequestMetrics = {
  readonly observe: ObserveRequest;
  /** The counts by labels in the Prometheus format. */
  readonly series: ReadonlyMap<string, Series>;
  /** Returns the metrics in the Prometheus text format. */
  readonly text: () => string;
};

const bounds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const methods = ['other', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];
const placeOf = new Map(methods.map((method, place) => [method, place]));

/** Counts and times requests by method, route and status. All unknown methods count as one, so that clients cannot make the number of
 * series grow. */
export const createRequestMetrics = (): RequestMetrics => {
  /** Series by route, then by one number for status and method: a lookup builds no text. */
  const found = new Map<string, Map<number, Series>>();
  const series = new Map<string, Series>();

  const added = (ofRoute: Map<number, Series>, key: number, route: string, method: number, status: number): Series => {
    const made = createSeries(bounds);
    ofRoute.set(key, made);
    series.set(`method="${methods[method]}",route="${route}",status="${status}"`, made);
    return made;
  };

  return {
    observe: (method, route, status, seconds) => {
      const ofRoute = found.get(route) ?? new Map<number, Series>();
      if (ofRoute.size === 0) found.set(route, ofRoute);
      const place = placeOf.get(method) ?? 0;
      const key = status * methods.length + place;
      observeIn(ofRoute.get(key) ?? added(ofRoute, key, route, place, status), bounds, seconds);
    },
    series,
    text: () => requestsText(series),
  };
};

/** Returns series of requests in the Prometheus text format. */
export const requestsText = (series: ReadonlyMap<string, Series>): string =>
  histogramText({
    name: 'waymark_http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    bounds,
    series,
  });
