import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { autocannonGenerator } from './autocannon.ts';
import type { Generator } from './load.ts';
import { wrkGenerator } from './wrk.ts';

/** Returns wrk if it is on the PATH, because it uses far less of the two cores than autocannon does. Otherwise returns autocannon. */
export const pickGenerator = (directory: string): Generator => (onPath('wrk') ? wrkGenerator(directory) : autocannonGenerator(directory));

const onPath = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => isExecutable(join(folder, program)));

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
