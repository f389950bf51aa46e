import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { inherited } from '../../engines/environment.ts';

const program = join(import.meta.dirname, 'main.ts');
const killAtChange = join(import.meta.dirname, '../kill-at-change/main.ts');

export type Restored = { readonly keptIn: string | null; readonly head: number };

/** Restores a backup in a separate process.
 * @throws the error with which the restore refuses the backup */
export const restore = (backup: string, directory: string): Promise<Restored> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [program, backup, directory], { env: inherited }, (error, printed, said) => {
      if (error) reject(new Error(said));
      else resolve(JSON.parse(printed));
    });
  });

/** Restores a backup in a separate process, which is killed after `changes` file system changes.
 * @returns false if the restore ended before */
export const restoreKilledAfter = (backup: string, directory: string, changes: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const env = { ...inherited, ...optionsToKillAfter(changes).settings };
    execFile(process.execPath, ['--import', killAtChange, program, backup, directory], { env }, (error) => {
      if (error && error.signal !== 'SIGKILL') reject(new Error('The restore failed before it was killed.', { cause: error }));
      else resolve(error !== null);
    });
  });

/** Returns the options to start a server that is killed after `changes` file system changes. */
export const optionsToKillAfter = (changes: number) => ({ preload: killAtChange, settings: { WAYMARK_TEST_CHANGES: String(changes) } });
