// Loaded before a program. Kills the process, in whichever thread, at the first blocking file system change after WAYMARK_TEST_CHANGES
// changes.

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
