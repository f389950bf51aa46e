import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { limits } from './limits.ts';
import type { Generator } from './load.ts';

const program = fileURLToPath(new URL('./autocannon-process.ts', import.meta.url));
const run = promisify(execFile);

/** Creates a generator that runs autocannon in a separate process, so that it uses no time of this process. */
export const autocannonGenerator = (directory: string): Generator => ({
  name: 'autocannon, 1 process',
  run: async (load, seconds) => {
    const job = join(directory, `${randomUUID()}.json`);
    writeFileSync(job, JSON.stringify({ load, seconds }));
    const { stdout } = await run(process.execPath, [program, job], {
      timeout: seconds * 1_000 + limits.generatorGraceMs,
    });
    return JSON.parse(stdout);
  },
});
