import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** What a figure means nothing without. */
export type Machine = {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  readonly commit: string;
  /** What else ran: above 0.5 or so, the figures are of a machine that was shared with others. */
  readonly loadBefore: number;
};

/** What a table ends with. */
export const machineText = ({ machine, generator, at, command }: Run): string =>
  `${machine.processor}, ${machine.cores} cores shared with the load generator (${generator}), ${machine.memoryGb} GB; ` +
  `Node ${machine.node}; commit ${machine.commit}; load before ${toText(machine.loadBefore)}; ${at.slice(0, 10)}; \`${command}\``;

type Run = { readonly machine: Machine; readonly generator: string; readonly at: string; readonly command: string };

/** Three digits, or whole numbers where there are more. */
export const toText = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));

export const describeMachine = (): Machine => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 1e9),
  node: process.version,
  commit: commit(),
  loadBefore: loadavg()[0] ?? 0,
});

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
