import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { type CheckedCheckpoint, checkedCheckpoints } from '@waymark/notary/testing/some-notary.ts';

/** The number of times that each fault strikes a notary. */
export const notaryFaults = Number(process.env['WAYMARK_NOTARY_FAULTS'] ?? 2);

/** The steps at which `kill-notary/main.ts` kills a notary. */
export const notarySteps = ['sign', 'store', 'publish'] as const;

/** Returns the checkpoints of a server that is stopped, after comparing each with the events that it covers. */
export const checkpointsIn = async (directory: string): Promise<readonly CheckedCheckpoint[]> => {
  const log = await openSqliteEventLog({ file: join(directory, 'log.db') });
  try {
    return await checkedCheckpoints(log, [Buffer.from(readFileSync(join(directory, 'notary/key'), 'utf8'), 'base64')]);
  } finally {
    await log.close();
  }
};

/** Returns the notes in a directory of published checkpoints, in their order. */
const notesIn = (place: string): readonly string[] =>
  readdirSync(place).flatMap((folder) => {
    // A kill may leave an incomplete file under another name.
    const files = readdirSync(join(place, folder)).filter((file) => /^\d{12}$/.test(file));
    return files.sort().map((file) => readFileSync(join(place, folder, file), 'utf8'));
  });

/** Expects that the checkpoints of an origin have the numbers from 1 on, that each one follows the one before, and that the place has the same
 * notes. */
export const expectOneTree = (checkpoints: readonly CheckedCheckpoint[], place: string): void => {
  expect(checkpoints.map(({ checkpoint }) => checkpoint.number)).toEqual(checkpoints.map((_, index) => index + 1));
  expect(checkpoints.map(({ checkpoint }) => checkpoint.previous)).toEqual([null, ...checkpoints.slice(0, -1).map(({ digest }) => digest)]);
  expect(notesIn(place)).toEqual(checkpoints.map(({ note }) => note));
};
