import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../limits.ts';

// valgrind runs a program on a processor of its own, some fifty times slower. It counts the instructions of each thread, without those of the kernel. The
// counts do not depend on what else the machine does.

/** Returns the command that runs a program and counts its instructions, into files of a directory. */
export const countingIn = (directory: string): readonly string[] => [
  ...['valgrind', '--tool=callgrind', '--separate-threads=yes', '--smc-check=all-non-file'],
  `--callgrind-out-file=${join(directory, 'instructions')}`,
];

/** Returns the instructions of each thread of such a process during some work, by thread id. */
export const countedWhile = async (
  { pid, directory }: { readonly pid: number; readonly directory: string },
  work: () => Promise<void>,
): Promise<ReadonlyMap<number, number>> => {
  dump(pid);
  await work();
  dump(pid);
  const threads = threadsOf(pid);
  // A thread that has ended meanwhile keeps a number that is no thread's id.
  return new Map(lastDump(directory).map(([number, count]) => [threads.get(number) ?? -number, count]));
};

/** Writes what was counted since the last time. */
const dump = (pid: number): void => void execFileSync('callgrind_control', ['--dump', `${pid}`], { stdio: 'pipe', timeout: limits.callMs });

/** Returns the ids of the threads by the numbers that valgrind gives them. */
const threadsOf = (pid: number): ReadonlyMap<number, number> => {
  const printed = execFileSync('vgdb', [`--pid=${pid}`, 'v.info', 'scheduler'], {
    encoding: 'utf8',
    stdio: 'pipe',
    timeout: limits.callMs,
  });
  return new Map(Array.from(printed.matchAll(/^Thread (\d+):.*\(lwpid (\d+)\)/gm), ([, number, id]) => [Number(number), Number(id)]));
};

/** Returns the counts of the last dump by the numbers of their threads. The files are called instructions.DUMP-THREAD. */
const lastDump = (directory: string): readonly (readonly [thread: number, count: number])[] => {
  const files = readdirSync(directory).flatMap((file) => {
    const [, nth, thread] = /^instructions[.](\d+)-(\d+)$/.exec(file) ?? [];
    return nth === undefined ? [] : [{ file, nth: Number(nth), thread: Number(thread) }];
  });
  const last = Math.max(...files.map(({ nth }) => nth));
  return files
    .filter(({ nth }) => nth === last)
    .map(({ file, thread }) => [thread, Number(/^totals: (\d+)/m.exec(readFileSync(join(directory, file), 'utf8'))?.[1] ?? 0)]);
};
