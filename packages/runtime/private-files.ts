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
  /** The first hashes request ids that are not UUIDs; a search for a request id tries all. */
  readonly requestIds: readonly string[];
  /** Only in a cluster. The first signs entries in Redis and records in Kafka; all are accepted. */
  readonly signing?: readonly string[];
};

/** `Keys` in the file `keys.json`. Releases before 0.3.0 wrote no `requestIds`. Stored: never rename. */
type StoredKeys = {
  readonly cursors: readonly string[];
  readonly idempotency: string;
  readonly requestIds?: readonly string[];
  readonly signing?: readonly string[];
};

const toStored = (keys: Keys): StoredKeys => ({
  cursors: keys.cursors,
  idempotency: keys.idempotency,
  requestIds: keys.requestIds,
  ...(keys.signing && { signing: keys.signing }),
});

const fromStored = (stored: StoredKeys): Keys => ({
  cursors: stored.cursors,
  idempotency: stored.idempotency,
  requestIds: stored.requestIds ?? [randomKey()],
  ...(stored.signing && { signing: stored.signing }),
});

/** Returns the installation's keys. Creates them at its first start, and adds a key of request ids if an earlier release created them.
 * @throws WrongSettings if the file lacks another key */
export const keysIn = (file: string): Keys => completed(file, (keys) => keys);

/** Returns the keys that the processes of a cluster share: also a signing key, which the standalone form and release 0.1.0 do not create.
 * @throws WrongSettings if the file lacks another key */
export const clusterKeysIn = (file: string): Required<Keys> =>
  completed(file, ({ signing = [randomKey()], ...others }) => ({ ...others, signing }));

/** Reads the keys and writes the file if it lacked some of them. */
const completed = <Complete extends Keys>(file: string, complete: (keys: Keys) => Complete): Complete => {
  const stored = existsSync(file) ? readKeys(file) : undefined;
  const keys = complete(fromStored(stored ?? { cursors: [randomKey()], idempotency: randomKey() }));
  const isComplete = stored?.requestIds !== undefined && stored.signing === keys.signing;
  if (!isComplete) writePrivate(file, JSON.stringify(toStored(keys)));
  return keys;
};

/** Returns the keys in a file. A lost key is never replaced by a new one, because cursors and claims under the old key would become invalid
 * without notice. */
const readKeys = (file: string): StoredKeys => {
  const stored = parsed(readFileSync(file, 'utf8'));
  if (stored && areKeys(stored)) return stored;
  throw new WrongSettings(`${file} lacks a key of this installation: restore the file from a backup.`);
};

const areKeys = ({ cursors, idempotency, requestIds, signing }: StoredKeys): boolean =>
  isList(cursors) && isKey(idempotency) && [requestIds, signing].every((keys) => keys === undefined || isList(keys));

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
