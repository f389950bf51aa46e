import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '@waymark/files/durable.ts';
import { writePrivate } from '@waymark/files/private.ts';
import type { NotaryRecord } from './record.ts';
import { openSqliteRecord } from './sqlite/record.ts';

/** The paths of the parts of a notary's directory. Its owner alone can read it. */
const notaryParts = (directory: string) => ({
  /** See `NotaryRecord`. */
  record: join(directory, 'record.db'),
  /** The private key, where no setting has it. */
  key: join(directory, 'key'),
  /** The verifier keys, the newest one first, one on each line. */
  verifierKeys: join(directory, 'verifier-keys'),
  /** Exists once an operator has ordered to begin, until the notary has. */
  beginning: join(directory, 'begin'),
});

/** The directory of a notary. */
export type NotaryDirectory = {
  /** Opens the notary's own record.
   * @throws the error of the file system, SqliteError */
  readonly openRecord: () => NotaryRecord;
  /** Returns the private key, as base64. Creates it where there is none.
   * @throws the error of the file system */
  readonly key: () => string;
  /** The order of an operator to begin with the log as it is. */
  readonly beginning: { readonly isOrdered: () => boolean; readonly order: () => void; readonly done: () => void };
  /** Returns the verifier keys, the newest one first; none where the notary has not started yet. */
  readonly verifierKeys: () => readonly string[];
  readonly keepVerifierKeys: (keys: readonly string[]) => void;
};

const keyBytes = 32;

/** Returns a new private key of a notary: base64 of 32 random bytes. */
export const randomNotaryKey = (): string => randomBytes(keyBytes).toString('base64');

/** Returns the functions of a notary's directory. It is created when the record or the key is. */
export const notaryDirectory = (directory: string): NotaryDirectory => {
  const parts = notaryParts(directory);
  const verifierKeys = (): readonly string[] => {
    if (!existsSync(parts.verifierKeys)) return [];
    return readFileSync(parts.verifierKeys, 'utf8')
      .split('\n')
      .filter((key) => key !== '');
  };
  return {
    openRecord: () => {
      makeDirectory(directory);
      return openSqliteRecord(parts.record);
    },
    key: () => {
      makeDirectory(directory);
      if (!existsSync(parts.key)) writePrivate(parts.key, randomNotaryKey());
      return readFileSync(parts.key, 'utf8').trim();
    },
    beginning: {
      isOrdered: () => existsSync(parts.beginning),
      order: () => writeFileSync(parts.beginning, ''),
      done: () => rmSync(parts.beginning, { force: true }),
    },
    verifierKeys,
    keepVerifierKeys: (keys) => {
      const text = keys.join('\n');
      if (verifierKeys().join('\n') !== text) writePrivate(parts.verifierKeys, `${text}\n`);
    },
  };
};
