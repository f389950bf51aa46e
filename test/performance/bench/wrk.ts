import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { limits } from './limits.ts';
import type { Generator, Load, Outcome } from './load.ts';
import { firstNumber } from './pinpoint.ts';

const script = join(import.meta.dirname, 'wrk.lua');
const run = promisify(execFile);

export const wrkGenerator = (directory: string): Generator => ({
  name: 'wrk, 1 thread',
  run: async (load, seconds) => {
    const args = [
      '-t1',
      `-c${load.connections}`,
      `-d${seconds}s`,
      '--timeout',
      `${limits.answerSeconds}s`,
      '-s',
      script,
      load.base,
      '--',
      ...inputs(directory, load),
    ];
    const { stdout } = await run('wrk', args, { timeout: seconds * 1_000 + limits.generatorGraceMs });
    return toOutcome(stdout);
  },
});

const inputs = (directory: string, load: Load): readonly string[] => {
  // The name is unique, because several generators may run at the same time.
  const name = join(directory, randomUUID());
  const [targets, parts] = [`${name}.targets`, `${name}.parts`];
  writeFileSync(targets, load.targets.map(({ path, token }) => `${path} ${token}`).join('\n'));
  if (load.parts) writeFileSync(parts, load.parts.join('\n'));
  return [load.method, targets, load.parts ? parts : '-', String(firstNumber())];
};

type Report = Pick<Outcome, 'requests' | 'failures'> & { microseconds: number; p50: number; p99: number };

const toOutcome = (stdout: string): Outcome => {
  const report: Report = JSON.parse(stdout.split('\n').findLast((line) => line.startsWith('{')) ?? 'null');
  return {
    requests: report.requests,
    perSecond: report.requests / (report.microseconds / 1e6),
    p50Ms: report.p50 / 1e3,
    p99Ms: report.p99 / 1e3,
    failures: report.failures,
  };
};
