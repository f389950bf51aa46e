import { join } from 'node:path';
import { checkLog } from '@waymark/event-log/sqlite/maintenance.ts';
import { sqliteDigest } from '@waymark/read-models/sqlite/read-models.ts';
import { type DataDirectory, dropFile } from '../data-directory/data-directory.ts';
import { currentFile } from '../read-side/generations.ts';
import { fillReadSide } from '../read-side/rebuild.ts';

export type Verification = {
  /** No finding of any kind. */
  readonly sound: boolean;
  /** What is wrong with the log, in sentences. */
  readonly log: readonly string[];
  /** Whether the read side is what the log says, byte for byte, and up to which position both were compared. */
  readonly readModels: { readonly equal: boolean; readonly position: number };
  /** What could not be checked, and why, in sentences. */
  readonly unchecked: readonly string[];
};

/** Holds the log against its own commitments, and the read side against a new one made from the log. Both go on working meanwhile. */
export const verify = async (directory: DataDirectory, memoryBytes: number): Promise<Verification> => {
  const unchecked: string[] = [];
  const checked = async <Result>(what: string, check: () => Promise<Result>, otherwise: Result): Promise<Result> => {
    try {
      return await check();
    } catch (error) {
      unchecked.push(`${what}: ${(error as Error).message}`);
      return otherwise;
    }
  };
  const log = await checked('The log was not checked', () => checkLog(directory.log), []);
  const different = { equal: false, position: 0 };
  const readModels = await checked('The read side was not compared with the log', () => compared(directory, memoryBytes), different);
  return { sound: log.length === 0 && readModels.equal && unchecked.length === 0, log, readModels, unchecked };
};

const compared = async (directory: DataDirectory, memoryBytes: number): Promise<Verification['readModels']> => {
  const live = await sqliteDigest(currentFile(directory.readModels)).catch(() => undefined);
  // What cannot be read is not what the log says.
  if (live === undefined) return { equal: false, position: 0 };
  const position = live.positions[0]?.position ?? 0;
  const file = join(directory.readModels, 'verification.tmp');
  dropFile(file);
  try {
    await fillReadSide({ log: directory.log, file, upTo: position, memoryBytes });
    return { equal: (await sqliteDigest(file)).rows === live.rows, position };
  } finally {
    dropFile(file);
  }
};
