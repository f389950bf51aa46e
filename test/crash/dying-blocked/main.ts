// Loaded before a program: kills it at the blocking change of the file system after so many, in whichever thread.

import files from 'node:fs';
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

const changes = ['renameSync', 'writeSync'] as const;
Object.assign(files, Object.fromEntries(changes.map((name) => [name, counted(files[name] as Change)])));
syncBuiltinESMExports();
