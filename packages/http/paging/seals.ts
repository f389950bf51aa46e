import { hash, timingSafeEqual } from 'node:crypto';

/** Makes texts that clients send back opaque to them. Opens only texts that it sealed for the same log. */
export type Seals = {
  readonly seal: (text: string) => string;
  /** Returns the text, or undefined if it was not sealed. */
  readonly open: (sealed: string) => string | undefined;
};

/** Creates the seals of a log.
 * @param keys the first one seals, all of them open; each is 32 random bytes as text */
export const createSeals = (keys: readonly string[], incarnation: string): Seals => ({
  seal: (text) => signature(keys[0] ?? '', incarnation, text) + Buffer.from(text).toString('base64url'),
  open: (sealed) => {
    if (sealed.length > sealedCharactersMax || !/^[\w-]+$/.test(sealed)) return undefined;
    const given = Buffer.from(sealed.slice(0, signatureCharacters));
    const encoded = sealed.slice(signatureCharacters);
    const text = Buffer.from(encoded, 'base64url').toString();
    // Another encoding of the same text is not valid either.
    if (Buffer.from(text).toString('base64url') !== encoded) return undefined;
    return keys.some((key) => isSame(Buffer.from(signature(key, incarnation, text)), given)) ? text : undefined;
  },
});

/** The number of characters that are kept of the 43 of a SHA-256 hash. */
const signatureCharacters = 32;
const sealedCharactersMax = 512;

/** Returns SHA-256 over key and text, cut to 192 bits. A length extension attack would need the bits that are cut off, so no HMAC is
 * needed. An HMAC takes five times as long and would be a quarter of the work of a page. */
const signature = (key: string, incarnation: string, text: string): string =>
  hash('sha256', `${key}${incarnation}${text}`, 'base64url').slice(0, signatureCharacters);

const isSame = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);
