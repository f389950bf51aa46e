import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Secrets that an installation makes for itself, and keeps. */
export type Keys = {
  /** The first signs page cursors; all are accepted. */
  readonly cursors: readonly string[];
  /** Under which idempotency keys are hashed. */
  readonly idempotency: string;
};

/** The installation's keys, made at its first start. */
export const keysIn = (file: string): Keys => {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Keys;
  const keys: Keys = { cursors: [randomKey()], idempotency: randomKey() };
  writePrivate(file, JSON.stringify(keys));
  return keys;
};

export const randomKey = (): string => randomBytes(32).toString('base64url');

/** A file for its owner's eyes only; whole or not at all. */
export const writePrivate = (file: string, text: string): void => {
  const incoming = `${file}.incoming`;
  writeFileSync(incoming, `${text}\n`, { mode: 0o600, flush: true });
  renameSync(incoming, file);
};
