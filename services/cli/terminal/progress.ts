import { SingleBar } from 'cli-progress';
import { progressLineEveryMs } from '../limits.ts';

/** The display of an operation's progress, on stderr. */
export type Progress = {
  readonly update: (value: number, detail: string) => void;
  /** Prints a line of its own, above the bar. */
  readonly print: (line: string) => void;
  readonly stop: () => void;
};

/** Opens a progress display: a bar on a terminal, elsewhere a line every few seconds. With `quiet` it shows neither. */
export const openProgress = (title: string, total: number, options: { readonly quiet: boolean }): Progress => {
  if (options.quiet) return silent;
  return process.stderr.isTTY ? bar(title, total) : lines(title, total);
};

const print = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const silent: Progress = { update: () => undefined, print, stop: () => undefined };

const clearLine = '\r\x1b[2K';

const bar = (title: string, total: number): Progress => {
  const shown = new SingleBar({
    format: `${title} [{bar}] {percentage} % {detail}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    // The command itself handles signals.
    gracefulExit: false,
  });
  shown.start(Math.max(total, 1), 0, { detail: '' });
  return {
    update: (value, detail) => shown.update(value, { detail }),
    print: (line) => print(`${clearLine}${line}`),
    stop: () => shown.stop(),
  };
};

const lines = (title: string, total: number): Progress => {
  let last = performance.now();
  return {
    update: (value, detail) => {
      if (performance.now() - last < progressLineEveryMs) return;
      last = performance.now();
      print(`${title} ${Math.floor((value / Math.max(total, 1)) * 100)} % ${detail}`);
    },
    print,
    stop: () => undefined,
  };
};
