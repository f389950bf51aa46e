import { hash, timingSafeEqual } from 'node:crypto';
import type { PageQuery } from '@waymark/domain/pages.ts';

/** Makes page queries opaque to clients, and takes back only what it made for the same log. */
export type Cursors = {
  readonly seal: (query: PageQuery) => string;
  /** Undefined: not one of ours. */
  readonly open: (cursor: string) => PageQuery | undefined;
};

/** `keys`: the first seals, all of them open. Each is 32 random bytes as text. */
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
    // What decodes to the same text in another spelling is not ours either.
    if (Buffer.from(text).toString('base64url') !== encoded) return undefined;
    const ours = keys.some((key) => isSame(Buffer.from(signature(key, incarnation, text)), given));
    return ours ? unpacked(JSON.parse(text)) : undefined;
  },
});

/** Of the 43 characters that SHA-256 has. */
const signatureCharacters = 32;
const cursorCharactersMax = 512;

/** SHA-256 over key and text, cut to 192 bits: what is cut off is what one would have to know to go on from it, so that it needs no HMAC,
 * which takes five times as long and would be a quarter of a page's work. */
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
