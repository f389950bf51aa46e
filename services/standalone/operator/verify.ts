import { join } from 'node:path';
import { checkLog } from '@waymark/event-log/sqlite/maintenance.ts';
import type { Verification } from '@waymark/operations/api/answers.ts';
import { notCompared, verificationOf } from '@waymark/operations/verification.ts';
import { sqliteDigest } from '@waymark/read-models/sqlite/read-models.ts';
import { type DataDirectory, dropFile } from '../data-directory/data-directory.ts';
import { currentFile } from '../read-side/generations.ts';
import { fillReadSide } from '../read-side/rebuild.ts';

/** Checks the log against its commitments, and compares the read models with new ones built from the log. Both stay in use during the
 * check. */
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
  const readModels = await checked(notCompared, () => compared(directory, memoryBytes), different);
  return verificationOf({ log, readModels, unchecked });
};

const compared = async (directory: DataDirectory, memoryBytes: number): Promise<Verification['readModels']> => {
  const live = await sqliteDigest(currentFile(directory.readModels)).catch(() => undefined);
  // Read models that cannot be read count as different from the log.
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
