import { hash, timingSafeEqual } from 'node:crypto';
import type { PageQuery } from '@waymark/domain/pages.ts';

/** Makes page queries opaque to clients. Opens only cursors that it made for the same log. */
export type Cursors = {
  readonly seal: (query: PageQuery) => string;
  /** Returns the page query, or undefined if the cursor is not valid. */
  readonly open: (cursor: string) => PageQuery | undefined;
};

/** Creates the cursors of a log.
 * @param keys the first one seals, all of them open; each is 32 random bytes as text */
export const createCursors = (keys: readonly string[], incarnation: string): Cursors => ({
  seal: (query) => {
    const text = JSON.stringify(packed(query));
    return signature(keys[0] ?? '', incarnation, text) + Buffer.from(text).toString('base64url');
  },
  open: (cursor) => {
    if (cursor.length > cursorCharactersMax || !/^[\w-]+$/.test(cursor)) return undefined;
    const given = Buffer.from(cursor.slice(0, signatureCharacters));
    const encoded = cursor.slice(signatureCharacters);
    const text = Buffer.from(encoded, 'base64url').toString();
    // Another encoding of the same text is not valid either.
    if (Buffer.from(text).toString('base64url') !== encoded) return undefined;
    const isSigned = keys.some((key) => isSame(Buffer.from(signature(key, incarnation, text)), given));
    return isSigned ? unpacked(JSON.parse(text)) : undefined;
  },
});

/** The number of characters that are kept of the 43 of a SHA-256 hash. */
const signatureCharacters = 32;
const cursorCharactersMax = 512;

/** Returns SHA-256 over key and text, cut to 192 bits. A length extension attack would need the bits that are cut off, so no HMAC is
 * needed. An HMAC takes five times as long and would be a quarter of the work of a page. */
const signature = (key: string, incarnation: string, text: string): string =>
  hash('sha256', `${key}${incarnation}${text}`, 'base64url').slice(0, signatureCharacters);

const isSame = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);

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
