import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PageQuery } from '@waymark/read-models/read-models.ts';

/** Makes page queries opaque to clients, and takes back only what it made for the same log. */
export type Cursors = {
  readonly seal: (query: PageQuery) => string;
  /** Undefined: not one of ours. */
  readonly open: (cursor: string) => PageQuery | undefined;
};

/** `keys`: the first seals, all of them open. */
export const sealedCursors = (keys: readonly string[], incarnation: string): Cursors => {
  const sign = (key: string, text: string): Buffer =>
    createHmac('sha256', key).update(incarnation).update(text).digest().subarray(0, signatureBytes);
  return {
    seal: (query) => {
      const text = JSON.stringify(packed(query));
      return Buffer.concat([sign(keys[0] ?? '', text), Buffer.from(text)]).toString('base64url');
    },
    open: (cursor) => {
      if (cursor.length > cursorCharactersMax || !/^[\w-]+$/.test(cursor)) return undefined;
      const bytes = Buffer.from(cursor, 'base64url');
      // What decodes to the same bytes in another spelling is not ours either.
      if (bytes.length <= signatureBytes || bytes.toString('base64url') !== cursor) return undefined;
      const text = bytes.subarray(signatureBytes).toString();
      const signature = bytes.subarray(0, signatureBytes);
      const ours = keys.some((key) => timingSafeEqual(sign(key, text), signature));
      return ours ? unpacked(JSON.parse(text)) : undefined;
    },
  };
};

const signatureBytes = 16;
const cursorCharactersMax = 512;

type Packed = readonly [PageQuery['kind'], string, number | null, 0 | 1, number, number];

const packed = (query: PageQuery): Packed => [
  query.kind,
  query.account,
  query.within,
  query.direction === 'forward' ? 1 : 0,
  query.from,
  query.limit,
];

const unpacked = ([kind, account, within, forward, from, limit]: Packed): PageQuery => ({
  kind,
  account,
  within,
  direction: forward === 1 ? 'forward' : 'backward',
  from,
  limit,
});
