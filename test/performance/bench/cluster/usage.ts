import { execFileSync } from 'node:child_process';
import { machineTicks, processTicks, ticksPerSecond } from '../processor-ticks.ts';

/** Processor time that was used, in seconds, by name. */
export type Usage = { readonly wallSeconds: number; readonly seconds: Readonly<Record<string, number>> };

/** The processes under one name: all of a service, or of an engine. */
export type Measured = { readonly name: string; readonly pids: readonly number[] };

/** Returns the processor time of a process, or 0 if the process has ended. */
const secondsOf = (pid: number): number => {
  const { user, system } = processTicks(pid) ?? { user: 0, system: 0 };
  return (user + system) / ticksPerSecond;
};

/** Returns the processor time of everything that runs on this machine. */
const machineSeconds = (): number => {
  const { user, nice, system, irq, softIrq } = machineTicks();
  return (user + nice + system + irq + softIrq) / ticksPerSecond;
};

/** Starts to measure processor time.
 * @returns a function that returns the time used since then */
export const meter = (measured: readonly Measured[]): (() => Usage) => {
  const startedMs = performance.now();
  const read = (): Record<string, number> => {
    const seconds = Object.fromEntries(measured.map(({ name, pids }) => [name, pids.reduce((sum, pid) => sum + secondsOf(pid), 0)]));
    const named = Object.values(seconds).reduce((sum, one) => sum + one, 0);
    return { ...seconds, 'all else': machineSeconds() - named };
  };
  const before = read();
  return () => {
    const after = read();
    const seconds = Object.fromEntries(Object.entries(after).map(([name, until]) => [name, Math.max(0, until - (before[name] ?? 0))]));
    return { wallSeconds: (performance.now() - startedMs) / 1_000, seconds };
  };
};

const worthNaming = 0.02;

/** Formats how many cores each name kept busy, the highest first. Cores that are fully used are the limit. */
export const usageText = ({ wallSeconds, seconds }: Usage): string =>
  Object.entries(seconds)
    .map(([name, used]) => ({ name, cores: used / wallSeconds }))
    .filter(({ cores }) => cores >= worthNaming)
    .toSorted((a, b) => b.cores - a.cores)
    .map(({ name, cores }) => `${name} ${cores.toFixed(2)}`)
    .join(', ');

/** Combines several measurements into one. */
export const summed = (usages: readonly Usage[]): Usage => {
  const seconds: Record<string, number> = {};
  for (const usage of usages) for (const [name, used] of Object.entries(usage.seconds)) seconds[name] = (seconds[name] ?? 0) + used;
  return { wallSeconds: usages.reduce((sum, { wallSeconds }) => sum + wallSeconds, 0), seconds };
};

/** Returns the engines whose process ids are known, through the command with which tests stop the engines. */
export const engineProcesses = (): readonly Measured[] => {
  const control = process.env['WAYMARK_ENGINES_CONTROL'];
  if (!control) return [];
  return ['eventstore', 'kafka', 'mongodb', 'redis'].flatMap((name) => {
    const pid = pidOf(control, name);
    return pid === undefined ? [] : [{ name, pids: [pid] }];
  });
};

const pidOf = (control: string, engine: string): number | undefined => {
  try {
    const pid = Number(execFileSync(control, ['pid', engine], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
};
