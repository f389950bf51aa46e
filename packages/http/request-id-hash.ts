import { createHmac } from 'node:crypto';
import { isUuid } from '@waymark/domain/uuid.ts';

/** Returns the keyed hash of a request id. Undefined for a UUID, which is stored as it is: any other text may be personal. */
export type HashRequestId = (requestId: string) => string | undefined;

/** Distinguishes a hash from a request id that an earlier release stored. Stored: never change. */
const prefix = 'hash:';

/** @param keys the first one hashes */
export const createRequestIdHash = ([key = '']: readonly string[]): HashRequestId => {
  return (requestId) => (isUuid(requestId) ? undefined : prefix + createHmac('sha256', key).update(requestId).digest('base64url'));
};

/** Returns how a request id may be stored in events: hashed under any of the keys, as a UUID, or as an earlier release stored it.
 * @param text the request id, or its hash as log lines have it */
export const storedRequestIds = (keys: readonly string[], text: string): readonly string[] => [
  ...new Set([text, text.toLowerCase(), ...keys.flatMap((key) => createRequestIdHash([key])(text) ?? [])]),
];
