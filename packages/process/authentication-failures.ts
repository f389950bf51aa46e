import type { NoteFailure } from '@waymark/http/authentication-failures.ts';
import { failureLinesMax } from '@waymark/http/limits.ts';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';

const secondMs = 1_000;

/** Counts every failed authentication, and logs so many of them per second; a line tells how many before it were not logged. */
export const authenticationFailures = (logger: Logger, registry: Registry): NoteFailure => {
  const failures = new Counter({
    name: 'waymark_authentication_failures_total',
    help: 'Requests that were not authenticated, by endpoint and reason.',
    labelNames: ['endpoint', 'reason'],
    registers: [registry],
  });
  let second = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let notLogged = 0;

  return (failure) => {
    failures.inc({ endpoint: failure.endpoint, reason: failure.reason });
    const now = performance.now();
    if (now - second >= secondMs) {
      second = now;
      lines = 0;
    }
    if (lines >= failureLinesMax) {
      notLogged += 1;
      return;
    }
    lines += 1;
    logger.info({ ...failure, ...(notLogged > 0 && { notLogged }) }, 'not authenticated');
    notLogged = 0;
  };
};
