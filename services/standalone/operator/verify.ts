import type { EvidenceSource } from '@waymark/checkpoints/verification/evidence.ts';
import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { sqliteHistoryDigest } from '@waymark/history/sqlite/digest.ts';
import type { Verification } from '@waymark/operations/api/answers.ts';
import { historyNotCompared, notCompared, verificationOf } from '@waymark/operations/verification.ts';
import { sqliteDigest } from '@waymark/read-models/sqlite/read-models.ts';
import { type DataDirectory, dropFile } from '../data-directory/data-directory.ts';
import { buildHistory } from '../history/build.ts';
import type { HistoryThread } from '../history/history.ts';
import { verifyWaitMs } from '../history/limits.ts';
import { currentFile } from '../read-side/generations.ts';
import { fillReadSide } from '../read-side/rebuild.ts';
import { checkLog } from './check-log.ts';

export type VerifyOptions = {
  readonly directory: DataDirectory;
  readonly log: Pick<SqliteEventLog, 'followed' | 'state'>;
  readonly history: Pick<HistoryThread, 'cleaned'>;
  readonly memoryBytes: number;
};

/** Checks the log against its commitments and against signed checkpoints, and compares the read models and the history with new ones built from
 * the log. All stay in use during the check. */
export const verify = async ({ directory, log, history, memoryBytes }: VerifyOptions, source: EvidenceSource): Promise<Verification> => {
  const { faults, clocks, checkpoint, unchecked: notChecked } = await checkLog(directory.log, await log.state(), source);
  const unchecked = [...notChecked];
  const checked = async <Result>(what: string, check: () => Promise<Result>, otherwise: Result): Promise<Result> => {
    try {
      return await check();
    } catch (error) {
      unchecked.push(`${what}: ${(error as Error).message}`);
      return otherwise;
    }
  };
  const different = { equal: false, position: 0 };
  const readModels = await checked(notCompared, () => compared(directory, memoryBytes), different);
  const comparison = await checked(historyNotCompared, () => historyCompared(directory, history, log.followed()), different);
  return verificationOf({
    log: faults,
    clocks,
    readModels,
    history: comparison,
    checkpoint,
    unchecked,
  });
};

const compared = async (directory: DataDirectory, memoryBytes: number): Promise<Verification['readModels']> => {
  const live = await sqliteDigest(currentFile(directory.readModels)).catch(() => undefined);
  // Read models that cannot be read count as different from the log.
  if (live === undefined) return { equal: false, position: 0 };
  const position = live.positions[0]?.position ?? 0;
  const { comparedReadModels: file } = directory;
  dropFile(file);
  try {
    await fillReadSide({ log: directory.log, file, upTo: position, memoryBytes });
    return { equal: (await sqliteDigest(file)).rows === live.rows, position };
  } finally {
    dropFile(file);
  }
};

/** Compares the history, once it has what was acknowledged and nothing of what was erased. */
const historyCompared = async (
  directory: DataDirectory,
  history: Pick<HistoryThread, 'cleaned'>,
  through: number,
): Promise<Verification['readModels']> => {
  if (!(await history.cleaned(through, verifyWaitMs))) throw new Error('it is not complete yet');
  const live = await sqliteHistoryDigest(directory.history);
  const { comparedHistory: file } = directory;
  dropFile(file);
  try {
    await buildHistory({ log: directory.log, file, upTo: live.position });
    return { equal: (await sqliteHistoryDigest(file)).rows === live.rows, position: live.position };
  } finally {
    dropFile(file);
  }
};
