import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { limits } from './limits.ts';
import { median } from './statistics.ts';

/** The conditions without which a measurement means nothing. */
export type Machine = {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  readonly commit: string;
  /** The system load from other processes before the run. Above 0.5 or so, the machine was shared with other work. */
  readonly loadBefore: number;
  /** The median duration of a small synced write in milliseconds. Writes wait for it, so it bounds their rate. */
  readonly syncMs: number;
};

/** Returns the text below a table. */
export const machineText = ({ machine, generator, at, command }: Run): string =>
  `${machine.processor}, ${machine.cores} cores shared with the load generator (${generator}), ${machine.memoryGb} GB; ` +
  `a synced write of ${limits.syncBytes / 1_024} KiB takes ${toText(machine.syncMs)} ms; Node ${machine.node}; commit ${machine.commit}; load before ${toText(machine.loadBefore)}; ${at.slice(0, 10)}; \`${command}\``;

type Run = { readonly machine: Machine; readonly generator: string; readonly at: string; readonly command: string };

/** Formats a value with three digits, or as a whole number if it has more. */
export const toText = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));

/** @param directory where the measured data is stored */
export const describeMachine = (directory: string): Machine => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 1e9),
  node: process.version,
  commit: commit(),
  loadBefore: loadavg()[0] ?? 0,
  syncMs: syncMsOf(directory),
});

const syncMsOf = (directory: string): number => {
  const path = join(directory, 'synced');
  const file = openSync(path, 'w');
  try {
    const bytes = Buffer.alloc(limits.syncBytes);
    const durations = Array.from({ length: limits.syncs }, () => {
      const from = performance.now();
      writeSync(file, bytes);
      fdatasyncSync(file);
      return performance.now() - from;
    });
    return median(durations);
  } finally {
    closeSync(file);
    rmSync(path);
  }
};

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

const commit = (): string => {
  try {
    const changed = git('status', '--porcelain') === '' ? '' : ', with changes';
    return git('rev-parse', '--short', 'HEAD') + changed;
  } catch {
    return 'not committed';
  }
};
