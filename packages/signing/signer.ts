import { hash } from 'node:crypto';

/** What a signature covers: texts by their UTF-8, and bytes. */
export type Part = string | Uint8Array;

/** Signs what processes of one installation keep in stores that others may write to. */
export type Signer = {
  /** 192 bits as 32 characters. `kind` says what the parts are: a signature of one kind is none of another. */
  readonly sign: (kind: string, ...parts: readonly Part[]) => string;
  /** Whether the signature was made under one of the keys; of anything that is no signature, false. */
  readonly verify: (signature: string, kind: string, ...parts: readonly Part[]) => boolean;
  /** One value per key, in their order: it tells two keys apart, and nothing of a key. */
  readonly checks: readonly string[];
};

const keyCharactersMin = 32;
/** Of the 43 characters that SHA-256 has. */
const signatureCharacters = 32;
/** No kind of `sign` is empty: a check value is never a signature. */
const checkKind = '';

/** `keys`: the first signs, all of them verify.
 * @throws Error where there is none, or one is too short */
export const createSigner = (keys: readonly string[]): Signer => {
  if (keys.length === 0) throw new Error('There is no key to sign with.');
  if (keys.some((key) => key.length < keyCharactersMin)) throw new Error(`A signing key has less than ${keyCharactersMin} characters.`);
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

/** Of the same length for every key, so that nothing of what follows it can pass for a part of it. */
const secretOf = (key: string): string => hash('sha256', `waymark signing key:${key}`, 'base64url');

/** Most of what is signed is put together in here: memory of its own for each signature takes a fifth of its time. */
const reused = Buffer.allocUnsafeSlow(16 * 1024);
/** UTF-8 for one UTF-16 code unit. */
const bytesPerCharacterMax = 3;

/** SHA-256 over key, lengths and parts, cut to 192 bits: without what is cut off nobody can extend it, so that it needs no HMAC, which takes
 * twice as long for each record of Kafka. The number and the lengths of the parts come first: no two lists of parts give the same bytes. They are put
 * together and hashed in one call: one for each part takes as long again. */
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

/** Takes as long wherever two texts of one length differ. Node's own comparison takes buffers, which cost as much as half the hash. */
const isSame = (one: string, other: string): boolean => {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
};
