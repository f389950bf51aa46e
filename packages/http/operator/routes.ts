import { timingSafeEqual } from 'node:crypto';
import type { OpenRoute } from '../app.ts';
import { failedAuthentication } from '../authentication-failures.ts';
import type { Answer } from '../call.ts';
import { notAuthenticated } from '../errors.ts';
import { secretHash } from '../secret-hash.ts';

/** What every process reports about itself to monitoring systems. */
export type Health = {
  /** Returns the reasons why the process is not ready, as sentences; empty if it is ready. */
  readonly notReady: () => readonly string[] | Promise<readonly string[]>;
  /** Returns the reasons why no requests must be sent to the process yet, as sentences; by default those of `notReady`. */
  readonly notServing?: () => readonly string[] | Promise<readonly string[]>;
  /** Returns whether the process has to stop. */
  readonly closing: () => boolean;
  /** Returns warnings for an operator, as sentences. The process may be ready with warnings. */
  readonly warnings?: () => readonly string[] | Promise<readonly string[]>;
  /** The metrics that a scraper gets. */
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string };
};

/** Returns the routes `/livez`, `/servez`, `/readyz` and `/metrics`. */
export const healthRoutes = ({ notReady, notServing = notReady, closing, warnings = () => [], metrics }: Health): readonly OpenRoute[] => {
  const reasons = createServingCheck(notServing, closing);
  return [
    { method: 'GET', path: '/livez', handle: async () => json(200, { status: 'alive' }) },
    { method: 'GET', path: '/servez', handle: async () => readiness(await reasons(), []) },
    { method: 'GET', path: '/readyz', handle: async () => readiness(await notReady(), await warnings()) },
    { method: 'GET', path: '/metrics', handle: async () => scrape(metrics) },
  ];
};

/** Creates a check that returns why no requests must be sent to the process: it has never been able to serve, or it stops. An engine that
 * becomes unavailable later is no reason. No other process could answer instead, and clients need the response that names the outage. */
const createServingCheck = (
  notServing: NonNullable<Health['notServing']>,
  closing: Health['closing'],
): (() => Promise<readonly string[]>) => {
  let hasServed = false;
  return async () => {
    if (closing()) return ['The process is shutting down.'];
    if (hasServed) return [];
    const missing = await notServing();
    hasServed = missing.length === 0;
    return missing;
  };
};

const readiness = (missing: readonly string[], warnings: readonly string[]): Answer => {
  const warned = warnings.length === 0 ? {} : { warnings };
  return missing.length === 0 ? json(200, { status: 'ready', ...warned }) : json(503, { status: 'not ready', missing, ...warned });
};

const scrape = async ({ text, contentType }: Health['metrics']): Promise<Answer> => ({
  status: 200,
  body: await text(),
  headers: { 'Content-Type': contentType },
});

/** Returns a check whether an `Authorization` header has one of the operator's tokens. */
export const operatorCheck = (tokens: readonly string[]): ((authorization: string | undefined) => boolean) => {
  const expected = tokens.map((token) => Buffer.from(secretHash(token)));
  return (authorization) => {
    const given = Buffer.from(secretHash(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? ''));
    return expected.some((one) => timingSafeEqual(given, one));
  };
};

/** Restricts a route to requests with one of the operator's tokens. */
export const requireOperator = (tokens: readonly string[], route: OpenRoute): OpenRoute => {
  const isOperator = operatorCheck(tokens);
  return {
    ...route,
    handle: async (call) => {
      const { authorization } = call.request.headers;
      if (!isOperator(authorization)) {
        throw failedAuthentication(notAuthenticated(), authorization === undefined ? 'missing' : 'unknown-token');
      }
      return route.handle(call);
    },
  };
};

export const json = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) });
