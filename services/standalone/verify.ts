import { join } from 'node:path';
import { checkLog } from '@waymark/event-log/sqlite-maintenance.ts';
import { sqliteDigest } from '@waymark/read-models/sqlite.ts';
import { type DataDirectory, dropFile } from './data-directory.ts';
import { currentFile } from './generations.ts';
import { fillReadSide } from './rebuild.ts';

export type Verification = {
  /** No finding of any kind. */
  readonly sound: boolean;
  /** What is wrong with the log, in sentences. */
  readonly log: readonly string[];
  /** Whether the read side is what the log says, byte for byte, and up to which position both were compared. */
  readonly readModels: { readonly equal: boolean; readonly position: number };
};

/** Holds the log against its own commitments, and the read side against a new one made from the log. Both go on working meanwhile. */
export const verify = async (directory: DataDirectory): Promise<Verification> => {
  const log = await checkLog(directory.log);
  const live = await sqliteDigest(currentFile(directory.readModels)).catch(() => undefined);
  // What cannot be read is not what the log says.
  if (live === undefined) return { sound: false, log, readModels: { equal: false, position: 0 } };
  const position = live.positions[0]?.position ?? 0;
  const file = join(directory.readModels, 'verification.tmp');
  dropFile(file);
  await fillReadSide({ log: directory.log, file, upTo: position });
  const { rows } = await sqliteDigest(file);
  dropFile(file);
  const equal = rows === live.rows;
  return { sound: log.length === 0 && equal, log, readModels: { equal, position } };
};
