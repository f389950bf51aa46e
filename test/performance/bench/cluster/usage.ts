import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Processor time that somebody used, in seconds, by name. */
export type Usage = { readonly wallSeconds: number; readonly seconds: Readonly<Record<string, number>> };

/** Processes under one name: all of a service, or of an engine. */
export type Measured = { readonly name: string; readonly pids: readonly number[] };

const ticksPerSecond = 100;

/** Of a process and all its threads; 0 where it is gone. Linux tells it. */
const secondsOf = (pid: number): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return 0;
  }
};

/** Of all that runs on this machine. */
const machineSeconds = (): number => {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '')
    .trim()
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softIrq) / ticksPerSecond;
};

/** Begins to count. @returns what was used since then */
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

/** Cores that each kept busy, most first: what is fully used is the limit. */
export const usageText = ({ wallSeconds, seconds }: Usage): string =>
  Object.entries(seconds)
    .map(([name, used]) => ({ name, cores: used / wallSeconds }))
    .filter(({ cores }) => cores >= worthNaming)
    .toSorted((a, b) => b.cores - a.cores)
    .map(({ name, cores }) => `${name} ${cores.toFixed(2)}`)
    .join(', ');

/** Several measurements as one. */
export const summed = (usages: readonly Usage[]): Usage => {
  const seconds: Record<string, number> = {};
  for (const usage of usages) for (const [name, used] of Object.entries(usage.seconds)) seconds[name] = (seconds[name] ?? 0) + used;
  return { wallSeconds: usages.reduce((sum, { wallSeconds }) => sum + wallSeconds, 0), seconds };
};

/** Engines whose processes can be told, by the command that tests stop them with. */
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
