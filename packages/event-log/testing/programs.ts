import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program in a separate process, and the lines that it prints. */
export type Program = {
  readonly child: ChildProcessWithoutNullStreams;
  /** All complete lines so far. */
  readonly lines: readonly string[];
  /** Resolves once the program has printed that number of lines.
   * @throws when the program ends before */
  readonly wrote: (lines: number) => Promise<void>;
  /** Resolves once the program has ended and all its lines are there. */
  readonly ended: Promise<void>;
};

/** Runs programs that do not outlive the test. */
export const programs = () => {
  const children: ChildProcessWithoutNullStreams[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  /** Runs a program.
   * @param through a command that runs the program in a special way */
  const run = (program: URL, file: string, through: readonly string[] = []): Program => {
    const [command = '', ...args] = [...through, process.execPath, fileURLToPath(program), file];
    const child = spawn(command, args);
    children.push(child);
    return watched(child);
  };
  return { run };
};

const watched = (child: ChildProcessWithoutNullStreams): Program => {
  const lines: string[] = [];
  let errors = '';
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line));
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const ended = Promise.all([once(child, 'exit'), once(reader, 'close')]).then(() => {});
  const wrote = async (count: number): Promise<void> => {
    while (lines.length < count) {
      const over = await Promise.race([once(reader, 'line').then(() => false), ended.then(() => true)]);
      if (over && lines.length < count) throw new Error(`The program ended after ${lines.length} lines: ${errors}`);
    }
  };
  return { child, lines, wrote, ended };
};
