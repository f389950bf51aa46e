import { hash } from 'node:crypto';

/** Signs what the processes of one installation keep in stores that other parties may write to. */
export type Signer = {
  /** Returns 192 bits as 32 characters. `kind` names what the texts are: a signature of one kind is not valid for another. */
  readonly sign: (kind: string, ...texts: readonly string[]) => string;
  /** Returns whether the signature was made with one of the keys; false for anything that is not a signature. */
  readonly verify: (signature: string, kind: string, ...texts: readonly string[]) => boolean;
  /** Returns a signer of bytes that follow the same texts: the signature of the same parts, but the texts are prepared once. */
  readonly afterTexts: (kind: string, ...texts: readonly string[]) => BytesSigner;
  /** One value for each key, in their order. It distinguishes two keys, and reveals nothing of a key. */
  readonly checks: readonly string[];
};

export type BytesSigner = {
  readonly sign: (bytes: Uint8Array) => string;
  /** Returns whether `given`, as a store returned it, is the signature.
   * @param from where the signature begins in `given`, which it ends; 0 by default */
  readonly verify: (bytes: Uint8Array, given: Uint8Array, from?: number) => boolean;
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
    sign: (kind, ...texts) => signature(first, kind, texts),
    verify: (given, kind, ...texts) => {
      const bytes = Buffer.from(given);
      return secrets.some((secret) => isSame(signature(secret, kind, texts), bytes, 0));
    },
    afterTexts: (kind, ...texts) => {
      const digests = secrets.map((secret) => bytesDigest(secret, kind, texts));
      const firstDigest = bytesDigest(first, kind, texts);
      return {
        sign: (bytes) => firstDigest(bytes).slice(0, signatureCharacters),
        verify: (bytes, given, from = 0) => digests.some((digestOf) => isSame(digestOf(bytes), given, from)),
      };
    },
    checks: secrets.map((secret) => signature(secret, checkKind, [])),
  };
};

/** Returns a secret of the same length for every key, so that nothing that follows it can pass for a part of it. */
const secretOf = (key: string): string => hash('sha256', `waymark signing key:${key}`, 'base64url');

/** Returns SHA-256 over key, lengths and texts, cut to 192 bits. Without the bits that are cut off, no attacker can extend it. Therefore it
 * needs no HMAC, which takes twice as long for each record of Kafka. The number and the lengths of the parts come first: no two lists of
 * parts give the same bytes. */
const signature = (secret: string, kind: string, texts: readonly string[]): string =>
  hash('sha256', `${secret}${lengthsOf(kind, texts)};${kind}${texts.join('')}`, 'base64url').slice(0, signatureCharacters);

const lengthsOf = (kind: string, texts: readonly string[]): string => [kind, ...texts].map((text) => Buffer.byteLength(text)).join(',');

/** Most data to sign is assembled in this buffer: to allocate memory for each signature takes a fifth of its time. */
const reused = Buffer.allocUnsafeSlow(16 * 1024);
/** The maximum number of digits of a length. */
const lengthDigitsMax = 16;

/** Returns a function that computes the digest of the texts and of bytes that follow them. It assembles and hashes both in one call: one
 * call for each takes twice as long. */
const bytesDigest = (secret: string, kind: string, texts: readonly string[]): ((bytes: Uint8Array) => string) => {
  const before = Buffer.from(`${secret}${lengthsOf(kind, texts)},`);
  const after = Buffer.from(`;${kind}${texts.join('')}`);
  return (bytes) => {
    const room = before.length + lengthDigitsMax + after.length + bytes.length;
    const target = room > reused.length ? Buffer.allocUnsafe(room) : reused;
    target.set(before);
    let at = before.length;
    at += target.write(String(bytes.length), at);
    target.set(after, at);
    at += after.length;
    target.set(bytes, at);
    return hash('sha256', target.subarray(0, at + bytes.length), 'base64url');
  };
};

/** Compares the first characters of a digest with the end of given bytes, in the same time wherever they differ. Node's own comparison
 * requires two buffers, which cost half as much as the hash. */
const isSame = (digest: string, given: Uint8Array, from: number): boolean => {
  let difference = signatureCharacters ^ (given.length - from);
  for (let at = 0; at < signatureCharacters; at += 1) difference |= digest.charCodeAt(at) ^ (given[from + at] ?? 0);
  return difference === 0;
};
