import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { inherited } from '../../engines/environment.ts';

const program = join(import.meta.dirname, 'main.ts');
const killAtChange = join(import.meta.dirname, '../kill-at-sync-change/main.ts');

export type Exported = { readonly events: number; readonly files: number; readonly newEvents: number; readonly digest: string };

/** Exports an installation in a separate process, which is killed after `changes` file system changes.
 * @returns undefined if the process was killed */
export const exportKilledAfter = (directory: string, into: string, changes = Number.POSITIVE_INFINITY): Promise<Exported | undefined> =>
  new Promise((resolve, reject) => {
    const env = { ...inherited, WAYMARK_TEST_CHANGES: String(changes) };
    execFile(process.execPath, ['--import', killAtChange, program, directory, into], { env }, (error, printed, said) => {
      if (error === null) resolve(JSON.parse(printed));
      else if (error.signal === 'SIGKILL') resolve(undefined);
      else reject(new Error(said));
    });
  });
