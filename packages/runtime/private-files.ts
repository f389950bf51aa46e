import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writePrivate } from '@waymark/files/private.ts';
import { WrongSettings } from './settings.ts';

/** Secrets that an installation creates for itself and keeps. */
export type Keys = {
  /** The first signs page cursors; all are accepted. */
  readonly cursors: readonly string[];
  /** The key that idempotency keys are hashed with. */
  readonly idempotency: string;
  /** Only in a cluster. The first signs entries in Redis and records in Kafka; all are accepted. */
  readonly signing?: readonly string[];
};

/** `Keys` in the file `keys.json`. Stored: never rename. */
type StoredKeys = { readonly cursors: readonly string[]; readonly idempotency: string; readonly signing?: readonly string[] };

const toStored = (keys: Keys): StoredKeys => ({
  cursors: keys.cursors,
  idempotency: keys.idempotency,
  ...(keys.signing && { signing: keys.signing }),
});

const fromStored = (stored: StoredKeys): Keys => ({
  cursors: stored.cursors,
  idempotency: stored.idempotency,
  ...(stored.signing && { signing: stored.signing }),
});

/** Returns the installation's keys, and creates them at its first start.
 * @throws WrongSettings if the file lacks one */
export const keysIn = (file: string): Keys => {
  if (existsSync(file)) return readKeys(file);
  const keys: Keys = { cursors: [randomKey()], idempotency: randomKey() };
  writePrivate(file, JSON.stringify(toStored(keys)));
  return keys;
};

/** Returns the keys that the processes of a cluster share. A file without a signing key, as release 0.1.0 created it, gets one.
 * @throws WrongSettings if the file lacks another key */
export const clusterKeysIn = (file: string): Required<Keys> => {
  const { signing, ...others } = keysIn(file);
  if (signing) return { ...others, signing };
  const keys = { ...others, signing: [randomKey()] };
  writePrivate(file, JSON.stringify(toStored(keys)));
  return keys;
};

/** Returns the keys in a file. A lost key is never replaced by a new one, because cursors and claims under the old key would become invalid
 * without notice. */
const readKeys = (file: string): Keys => {
  const stored = parsed(readFileSync(file, 'utf8'));
  if (stored && areKeys(stored)) return fromStored(stored);
  throw new WrongSettings(`${file} lacks a key of this installation: restore the file from a backup.`);
};

const areKeys = ({ cursors, idempotency, signing }: StoredKeys): boolean =>
  isList(cursors) && isKey(idempotency) && (signing === undefined || isList(signing));

const parsed = (text: string): StoredKeys | undefined => {
  try {
    return (JSON.parse(text) as StoredKeys | null) ?? undefined;
  } catch {
    return undefined;
  }
};

const isKey = (key: unknown): boolean => typeof key === 'string' && /^[\w-]{32,}$/.test(key);
const isList = (keys: unknown): boolean => Array.isArray(keys) && keys.length > 0 && keys.every(isKey);

export const randomKey = (): string => randomBytes(32).toString('base64url');
