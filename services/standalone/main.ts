import { rmSync } from 'node:fs';
import { destination, pino } from 'pino';
import { announce } from './announce.ts';
import { type Installation, type Operator, startInstallation } from './app.ts';
import { DirectoryInUse, writePrivate } from './data-directory.ts';
import { settingsFrom, WrongSettings } from './settings.ts';

export type RunOptions = {
  /** Called once, when reads are answered. */
  readonly onReady?: (operator: Operator) => Promise<void>;
};

/** Runs the product until it is told to stop by SIGTERM or SIGINT; the process ends with it. */
export const runServer = async (environment: NodeJS.ProcessEnv, options: RunOptions = {}): Promise<void> => {
  try {
    await run(environment, options);
  } catch (error) {
    if (!isOperators(error)) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(error instanceof WrongSettings ? exitWrongSettings : exitCannotStart);
  }
};

/** As `waymark --help` says. */
const exitWrongSettings = 2;
const exitCannotStart = 3;
/** Whatever holds up a shutdown is cut off then. */
const exitWithinMs = 9_500;

const run = async (environment: NodeJS.ProcessEnv, { onReady }: RunOptions): Promise<void> => {
  const settings = settingsFrom(environment);
  const lines = destination({ fd: 2, sync: false });
  const logger = pino({ level: settings.WAYMARK_LOG_LEVEL, base: null }, lines);
  const exit = (code: number): void => {
    lines.flushSync();
    process.exit(code);
  };
  const installation = await startInstallation({
    settings,
    logger,
    onFatal: (error) => {
      logger.fatal({ err: error }, 'the log can no longer be written: the process ends');
      exit(1);
    },
  });
  const { operator, directory } = installation;
  writePrivate(directory.operator, JSON.stringify(operator));
  stopOnSignal(installation, exit);
  await installation.complete;
  await announce(installation);
  await onReady?.(operator);
};

/** One signal begins the shutdown, further ones change nothing about it. */
const stopOnSignal = (installation: Installation, exit: (code: number) => void): void => {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => exit(1), exitWithinMs).unref();
    rmSync(installation.directory.operator, { force: true });
    void installation.close().then(
      () => exit(0),
      () => exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

/** Whether an operator can mend it, told by its message alone. */
const isOperators = (error: unknown): boolean =>
  error instanceof WrongSettings || error instanceof DirectoryInUse || codes.test(String((error as NodeJS.ErrnoException).code));

const codes = /^(EADDRINUSE|EADDRNOTAVAIL|ENOTFOUND|EACCES|EPERM|EROFS|ENOSPC|EDQUOT|EFBIG|EIO|SQLITE_(FULL|READONLY|CANTOPEN|IOERR)\w*)$/;

if (import.meta.main) await runServer(process.env);
