import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { fromBase64 } from './hashes.ts';

/** The signed notes of C2SP (c2sp.org/signed-note) with Ed25519: a text, an empty line, and lines `— <name> <base64>` with the signatures. */

/** A public key that a verifier trusts. */
export type VerifierKey = {
  /** The name of the signer. */
  readonly name: string;
  /** The key as text: `<name>+<id>+<base64 of 0x01 and the public key>`. */
  readonly text: string;
  /** Four bytes that identify the key together with its name. */
  readonly id: Buffer;
  readonly publicKey: KeyObject;
};

/** A text is no verifier key, or a seed is no private key. */
export class InvalidKey extends Error {}

/** A text is no signed note, or no trusted key has signed it. */
export class InvalidNote extends Error {}

/** The signature type of Ed25519. */
const ed25519 = Buffer.from([1]);
const keyBytes = 32;
const idBytes = 4;
const signatureBytes = 64;
export const noteCharactersMax = 65_536;
const signaturesMax = 100;

/** What comes before the 32 bytes of a key in its DER form (RFC 8410). */
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A name has no blanks and no `+`. */
const namePattern = /^[^\s+]+$/u;
const signaturePattern = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u;

/** @throws InvalidKey */
export const parseVerifierKey = (text: string): VerifierKey => {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u.exec(text) ?? [];
  if (!namePattern.test(name)) throw new InvalidKey('It is no verifier key: the form is <name>+<id>+<base64>.');
  const bytes = fromBase64(encoded);
  if (bytes === undefined || bytes.length !== ed25519.length + keyBytes || !bytes.subarray(0, ed25519.length).equals(ed25519))
    throw new InvalidKey(`The key ${name} is no Ed25519 key.`);
  const raw = bytes.subarray(ed25519.length);
  if (!keyId(name, raw).equals(Buffer.from(id, 'hex')))
    throw new InvalidKey(`The id of the key ${name} does not match its name and bytes.`);
  return { name, text, id: keyId(name, raw), publicKey: publicKeyOf(raw) };
};

const keyId = (name: string, raw: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), ed25519, raw]), 'buffer').subarray(0, idBytes);

const publicKeyOf = (raw: Buffer): KeyObject => createPublicKey({ key: Buffer.concat([publicPrefix, raw]), format: 'der', type: 'spki' });

export type NoteSigner = {
  /** The public key as text; see `VerifierKey`. */
  readonly verifierKey: string;
  /** Returns the signed note of a text.
   * @param text lines that each end in a newline, the last one too */
  readonly sign: (text: string) => string;
};

/** @param seed the 32 bytes of an Ed25519 private key (RFC 8032)
 * @throws InvalidKey */
export const createNoteSigner = (name: string, seed: Buffer): NoteSigner => {
  if (!namePattern.test(name)) throw new InvalidKey(`The name of a key has no blanks and no plus: ${name}`);
  if (seed.length !== keyBytes) throw new InvalidKey(`A private key has ${keyBytes} bytes.`);
  const privateKey = createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(publicPrefix.length);
  const id = keyId(name, raw);
  return {
    verifierKey: `${name}+${id.toString('hex')}+${Buffer.concat([ed25519, raw]).toString('base64')}`,
    sign: (text) => `${text}\n— ${name} ${Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]).toString('base64')}\n`,
  };
};

/** Returns the text of a note, and the first of the trusted keys that have signed it. Signatures of other keys are ignored.
 * @throws InvalidNote also where one of the trusted keys has a signature that is wrong */
export const openNote = (note: string, trusted: readonly VerifierKey[]): { readonly text: string; readonly key: VerifierKey } => {
  const { text, signatures } = partsOf(note);
  const signers = signatures.flatMap((signature) => {
    const key = trusted.find(({ name, id }) => name === signature.name && id.equals(signature.id));
    return key === undefined ? [] : [{ key, bytes: signature.bytes }];
  });
  const wrong = signers.find(({ key, bytes }) => !verify(null, Buffer.from(text), key.publicKey, bytes));
  if (wrong !== undefined) throw new InvalidNote(`The signature under the key ${wrong.key.name} is wrong.`);
  const [signer] = signers;
  if (signer === undefined) {
    const names = [...new Set(signatures.map(({ name, id }) => `${name}+${id.toString('hex')}`))];
    throw new InvalidNote(`No trusted key has signed it, only ${names.join(', ')}.`);
  }
  return { text, key: signer.key };
};

type Signature = { readonly name: string; readonly id: Buffer; readonly bytes: Buffer };

const partsOf = (note: string): { readonly text: string; readonly signatures: readonly Signature[] } => {
  if (note.length > noteCharactersMax) throw new InvalidNote(`It is longer than ${noteCharactersMax} characters.`);
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n') || !note.isWellFormed() || hasControls(note)) throw new InvalidNote('It is no signed note.');
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > signaturesMax) throw new InvalidNote(`It has more than ${signaturesMax} signatures.`);
  return { text: note.slice(0, end + 1), signatures: lines.map(signatureIn) };
};

const hasControls = (note: string): boolean => /[^\P{Cc}\n]/u.test(note);

const signatureIn = (line: string): Signature => {
  const [, name = '', encoded = ''] = signaturePattern.exec(line) ?? [];
  const bytes = fromBase64(encoded);
  if (name === '' || bytes === undefined || bytes.length < idBytes + signatureBytes)
    throw new InvalidNote('A signature line is malformed.');
  return { name, id: bytes.subarray(0, idBytes), bytes: bytes.subarray(idBytes) };
};
