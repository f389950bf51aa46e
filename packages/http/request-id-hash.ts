import { createHmac } from 'node:crypto';
import { isUuid } from './uuid.ts';

/** Returns the keyed hash of a request id. Undefined for a UUID, which is stored as it is: any other text may be personal. */
export type HashRequestId = (requestId: string) => string | undefined;

/** Distinguishes a hash from a request id that an earlier release stored. Stored: never change. */
const prefix = 'hash:';

/** @param keys the first one hashes */
export const createRequestIdHash = ([key = '']: readonly string[]): HashRequestId => {
  return (requestId) => (isUuid(requestId) ? undefined : prefix + createHmac('sha256', key).update(requestId).digest('base64url'));
};
