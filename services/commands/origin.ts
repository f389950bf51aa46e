import { isUuid } from '@waymark/domain/uuid.ts';
import type { Origin } from '@waymark/event-log/seal.ts';
import type { Call } from '@waymark/http/call.ts';
import { badRequest } from '@waymark/http/errors.ts';
import type { HashRequestId } from '@waymark/http/request-id-hash.ts';

/** Returns the origin of the event that a request appends. Without a `Correlation-Id`, the event's own id is its correlation.
 * @throws HttpError 400 */
export type OriginOf = (call: Call) => Origin;

export const createOrigins =
  (hashRequestId: HashRequestId): OriginOf =>
  ({ request, access, requestId }) => ({
    actor: access.application,
    token: access.token,
    request: hashRequestId(requestId) ?? requestId.toLowerCase(),
    ...correlationOf(request.headers['correlation-id']),
  });

/** @param given Node joins the values of a repeated header, so that they are no UUID */
const correlationOf = (given: string | readonly string[] | undefined): Pick<Origin, 'correlation'> => {
  if (given === undefined) return {};
  if (typeof given !== 'string' || !isUuid(given)) throw badRequest('Correlation-Id: one UUID.');
  return { correlation: given.toLowerCase() };
};
