import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header in which an edge sends its key. An edge replaces a header of this name that a client sends. */
export const edgeKeyHeader = 'x-waymark-edge-key';

/** Creates a check whether a request has one of the keys. Only an edge of this installation knows them. */
export const createEdgeCheck = (keys: readonly string[]): ((request: Pick<IncomingMessage, 'headers'>) => boolean) => {
  const expected = keys.map((key) => Buffer.from(key));
  return ({ headers: { [edgeKeyHeader]: key } }) => {
    if (typeof key !== 'string') return false;
    const given = Buffer.from(key);
    return expected.some((one) => one.length === given.length && timingSafeEqual(one, given));
  };
};
