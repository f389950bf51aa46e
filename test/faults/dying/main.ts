// Loaded before a program: kills it at the change of the file system after so many, in whichever thread.

import blocking from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

type Change = (...parameters: unknown[]) => unknown;

let left = Number(process.env['WAYMARK_TEST_CHANGES']);

const counted =
  (change: Change): Change =>
  (...parameters) => {
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    left -= 1;
    return change(...parameters);
  };

const asCounted = <Name extends string>(module: Readonly<Record<Name, unknown>>, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, counted(module[name] as Change)]));

Object.assign(files, asCounted(files, ['mkdir', 'rm', 'copyFile']));
Object.assign(blocking, asCounted(blocking, ['mkdirSync', 'renameSync', 'writeFileSync']));
syncBuiltinESMExports();
