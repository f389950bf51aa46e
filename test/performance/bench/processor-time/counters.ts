import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { countedWhile, countingIn } from './valgrind.ts';

/** Returns the time that each thread of a process has spent on a processor so far, in nanoseconds, by thread id. */
const nanosecondsOf = (pid: number): ReadonlyMap<number, number> =>
  new Map(
    readdirSync(`/proc/${pid}/task`).map((thread): [number, number] => [
      Number(thread),
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    ]),
  );

/** Returns the id of the thread of a process that has a name; undefined if none has it. */
export const threadOf = (pid: number, name: string): number | undefined =>
  readdirSync(`/proc/${pid}/task`)
    .map(Number)
    .find((thread) => nameOf(pid, thread) === name);

const nameOf = (pid: number, thread: number): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim();
  } catch {
    return undefined; // it has ended
  }
};

/** The process to measure, and the directory where it was started. */
export type Measured = { readonly pid: number; readonly directory: string };

/** What is measured, and how. */
export type Counter = {
  readonly unit: 'instructions' | 'ns';
  /** Returns the command that has to run Node; empty if Node runs by itself. */
  readonly under: (directory: string) => readonly string[];
  /** Returns the cost of some work by thread id. */
  readonly costsWhile: (measured: Measured, work: () => Promise<void>) => Promise<ReadonlyMap<number, number>>;
};

/** Returns the counter to use: valgrind's where it is asked for, otherwise that of `perf` if it counts instructions here, otherwise the time on a
 * processor. */
export const counterOf = (isValgrind: boolean): Counter => {
  if (isValgrind) return { unit: 'instructions', under: countingIn, costsWhile: countedWhile };
  const { status, stderr } = spawnSync('perf', ['stat', '-x,', '-e', 'instructions', 'true'], { encoding: 'utf8' });
  const hasPerf = status === 0 && /^\d+,,instructions/m.test(stderr);
  const costsWhile = hasPerf ? instructionsWhile : nanosecondsWhile;
  return { unit: hasPerf ? 'instructions' : 'ns', under: () => [], costsWhile: ({ pid }, work) => costsWhile(pid, work) };
};

const nanosecondsWhile = async (pid: number, work: () => Promise<void>): Promise<ReadonlyMap<number, number>> => {
  const before = nanosecondsOf(pid);
  await work();
  return new Map(Array.from(nanosecondsOf(pid), ([thread, now]) => [thread, now - (before.get(thread) ?? 0)]));
};

const instructionsWhile = async (pid: number, work: () => Promise<void>): Promise<ReadonlyMap<number, number>> => {
  const perf: ChildProcess = spawn('perf', ['stat', '-x,', '-e', 'instructions', '--per-thread', '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  perf.stderr?.on('data', (chunk) => {
    printed += chunk;
  });
  await work();
  perf.kill('SIGINT');
  await once(perf, 'close');
  // The format of each line: name-thread,count,,instructions
  return new Map(Array.from(printed.matchAll(/^.*-(\d+),(\d+),,instructions/gm), ([, thread, count]) => [Number(thread), Number(count)]));
};
