import type { AuthenticationFailure, NoteFailure } from '@waymark/http/authentication-failures.ts';
import { failureLinesMax } from '@waymark/http/limits.ts';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';

const secondMs = 1_000;

/** Label and log field `endpoint`, as it is sent. */
const endpoints: Readonly<Record<AuthenticationFailure['endpoint'], string>> = { token: 'token', bearer: 'bearer', operator: 'operator' };

/** Label and log field `reason`, as it is sent. */
const reasons: Readonly<Record<AuthenticationFailure['reason'], string>> = {
  missing: 'missing',
  malformed: 'malformed',
  'unknown-client': 'unknown-client',
  'wrong-secret': 'wrong-secret',
  'unknown-token': 'unknown-token',
  revoked: 'revoked',
  suspended: 'suspended',
  throttled: 'throttled',
};

/** Counts every failed authentication, and logs up to `failureLinesMax` of them per second. A line reports how many before it were not
 * logged. */
export const createFailureNotes = (logger: Logger, registry: Registry): NoteFailure => {
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
    const endpoint = endpoints[failure.endpoint];
    const reason = reasons[failure.reason];
    failures.inc({ endpoint, reason });
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
    const { route, address, client } = failure;
    logger.info({ endpoint, route, address, reason, client, ...(notLogged > 0 && { notLogged }) }, 'not authenticated');
    notLogged = 0;
  };
};
