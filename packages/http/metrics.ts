import { Histogram, type Registry } from 'prom-client';

/** Notes an answered request. */
export type ObserveRequest = (method: string, route: string, status: number, seconds: number) => void;

const buckets = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);

/** Counts and times requests by method, route and status. */
export const requestMetrics = (registry: Registry): ObserveRequest => {
  const histogram = new Histogram({
    name: 'waymark_http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [registry],
  });
  const children = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>();
  return (method, route, status, seconds) => {
    const known = methods.has(method) ? method : 'other';
    const key = `${known} ${status} ${route}`;
    let child = children.get(key);
    if (child === undefined) {
      child = histogram.labels({ method: known, route, status });
      children.set(key, child);
    }
    child.observe(seconds);
  };
};
