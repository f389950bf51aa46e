// Loaded before a program. Kills the process, in whichever thread, at the first file system change after WAYMARK_TEST_CHANGES changes.

import blocking from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

type Change = (...parameters: unknown[]) => unknown;

let changesLeft = Number(process.env['WAYMARK_TEST_CHANGES']);

const count = (): void => {
  if (changesLeft === 0) process.kill(process.pid, 'SIGKILL');
  changesLeft -= 1;
};

const countingCalls =
  (change: Change): Change =>
  (...parameters) => {
    count();
    return change(...parameters);
  };

const withCountedCalls = <Name extends string>(module: Readonly<Record<Name, unknown>>, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, countingCalls(module[name] as Change)]));

const { rmdirSync, unlinkSync, readdirSync, lstatSync } = blocking;

/** Removes a path as Node does: first the contents of a directory, one by one, and then the directory. */
const remove = async (path: string): Promise<void> => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory()) for (const name of readdirSync(path)) await remove(join(path, name));
  count();
  if (found.isDirectory()) rmdirSync(path);
  else unlinkSync(path);
};

Object.assign(files, withCountedCalls(files, ['mkdir', 'copyFile', 'chmod']), { rm: remove });
Object.assign(blocking, withCountedCalls(blocking, ['mkdirSync', 'renameSync', 'writeFileSync', 'rmSync']));
syncBuiltinESMExports();
