import { randomUUID } from 'node:crypto';
import type { Origin } from '@waymark/event-log/seal.ts';
import type { Call } from '@waymark/http/call.ts';
import { badRequest } from '@waymark/http/errors.ts';
import type { HashRequestId } from '@waymark/http/request-id-hash.ts';
import { isUuid } from '@waymark/http/uuid.ts';

/** Returns the origin of the events that a request appends. A request without a `Correlation-Id` gets a correlation of its own.
 * @throws HttpError 400 */
export type OriginOf = (call: Call) => Origin;

export const createOrigins =
  (hashRequestId: HashRequestId): OriginOf =>
  ({ request, access, requestId }) => ({
    actor: access.application,
    token: access.token,
    request: hashRequestId(requestId) ?? requestId.toLowerCase(),
    correlation: correlationOf(request.headers['correlation-id']),
  });

/** @param given Node joins the values of a repeated header, so that they are no UUID */
const correlationOf = (given: string | readonly string[] | undefined): string => {
  if (given === undefined) return randomUUID();
  if (typeof given !== 'string' || !isUuid(given)) throw badRequest('Correlation-Id: one UUID.');
  return given.toLowerCase();
};
