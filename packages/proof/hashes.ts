import { hash } from 'node:crypto';

const leafPrefix = Buffer.from([0]);
const nodePrefix = Buffer.from([1]);
const hashBytes = 32;

// By way of a string, the bytes are in a pool. Memory of their own would cost twice the time of the hash.
const sha256 = (data: string | Buffer): Buffer => Buffer.from(hash('sha256', data, 'binary'), 'binary');

/** The root of a tree without leaves (RFC 6962, 2.1). */
export const emptyRoot: Buffer = sha256('');

/** Returns the hash of a leaf (RFC 6962, 2.1).
 * @param data bytes, or text that stands for its UTF-8 bytes */
export const leafHash = (data: string | Buffer): Buffer =>
  sha256(typeof data === 'string' ? `\0${data}` : Buffer.concat([leafPrefix, data]));

/** Returns the hash of a node over its two children (RFC 6962, 2.1). */
export const nodeHash = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.concat([nodePrefix, left, right]));

/** Returns the SHA-256 of a text, in base64. */
export const textHash = (text: string): string => hash('sha256', text, 'base64');

/** Returns the bytes of base64 text (RFC 4648, section 4), or undefined for any other text. So bytes have one text only. */
export const fromBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};

/** Returns the hash that base64 text stands for, or undefined for any other value. */
export const hashFrom = (value: unknown): Buffer | undefined => {
  const bytes = typeof value === 'string' ? fromBase64(value) : undefined;
  return bytes?.length === hashBytes ? bytes : undefined;
};
