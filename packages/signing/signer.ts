import { hash } from 'node:crypto';

/** A part of what a signature covers: a text, by its UTF-8, or bytes. */
export type Part = string | Uint8Array;

/** Signs what the processes of one installation keep in stores that other parties may write to. */
export type Signer = {
  /** Returns 192 bits as 32 characters. `kind` names what the parts are: a signature of one kind is not valid for another. */
  readonly sign: (kind: string, ...parts: readonly Part[]) => string;
  /** Returns whether the signature was made with one of the keys; false for anything that is not a signature. */
  readonly verify: (signature: string, kind: string, ...parts: readonly Part[]) => boolean;
  /** One value for each key, in their order. It distinguishes two keys, and reveals nothing of a key. */
  readonly checks: readonly string[];
};

const keyCharactersMin = 32;
/** How many of the 43 characters of the SHA-256 a signature has. */
const signatureCharacters = 32;
/** The kind of a check value. No kind of `sign` is empty, so a check value is never a signature. */
const checkKind = '';

/** Creates a signer.
 * @param keys the first one signs, all of them verify
 * @throws Error where there is no key, or one is too short */
export const createSigner = (keys: readonly string[]): Signer => {
  if (keys.length === 0) throw new Error('There is no key to sign with.');
  if (keys.some((key) => key.length < keyCharactersMin)) throw new Error(`A signing key has fewer than ${keyCharactersMin} characters.`);
  const secrets = keys.map(secretOf);
  const [first = ''] = secrets;
  return {
    sign: (kind, ...parts) => signature(first, kind, parts),
    verify: (given, kind, ...parts) => {
      if (given.length !== signatureCharacters) return false;
      return secrets.some((secret) => isSame(signature(secret, kind, parts), given));
    },
    checks: secrets.map((secret) => signature(secret, checkKind, [])),
  };
};

/** Returns a secret of the same length for every key, so that nothing that follows it can pass for a part of it. */
const secretOf = (key: string): string => hash('sha256', `waymark signing key:${key}`, 'base64url');

/** Most data to sign is assembled in this buffer: to allocate memory for each signature takes a fifth of its time. */
const reused = Buffer.allocUnsafeSlow(16 * 1024);
/** The maximum number of UTF-8 bytes for one UTF-16 code unit. */
const bytesPerCharacterMax = 3;

/** Returns SHA-256 over key, lengths and parts, cut to 192 bits. Without the bits that are cut off, no attacker can extend it. Therefore it
 * needs no HMAC, which takes twice as long for each record of Kafka. The number and the lengths of the parts come first: no two lists of
 * parts give the same bytes. The parts are assembled and hashed in one call: one call for each part takes twice as long. */
const signature = (secret: string, kind: string, parts: readonly Part[]): string => {
  let lengths = `${Buffer.byteLength(kind)}`;
  let size = 0;
  for (const part of parts) {
    const length = typeof part === 'string' ? Buffer.byteLength(part) : part.length;
    lengths += `,${length}`;
    size += length;
  }
  let text = `${secret}${lengths};${kind}`;
  const room = text.length * bytesPerCharacterMax + size;
  const bytes = room > reused.length ? Buffer.allocUnsafe(room) : reused;
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else {
      at += bytes.write(text, at);
      bytes.set(part, at);
      at += part.length;
      text = '';
    }
  }
  if (text !== '') at += bytes.write(text, at);
  return hash('sha256', bytes.subarray(0, at), 'base64url').slice(0, signatureCharacters);
};

/** Compares two texts of the same length in the same time wherever they differ. Node's own comparison requires buffers, which cost half as
 * much as the hash. */
const isSame = (one: string, other: string): boolean => {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
};
