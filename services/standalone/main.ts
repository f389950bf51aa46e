import { isNoRoom } from '@waymark/files/no-room.ts';
import { privateUmask } from '@waymark/files/private.ts';
import { DirectoryRefused } from '@waymark/runtime/directory.ts';
import { DirectoryInUse } from '@waymark/runtime/lock.ts';
import { type RunningOperator, toOperatorFile } from '@waymark/runtime/operator-file.ts';
import { stopOnSignal } from '@waymark/runtime/signals.ts';
import { exitOnStartupFailure } from '@waymark/runtime/startup-failure.ts';
import { stopMs } from '@waymark/runtime/stop-times.ts';
import { destination, type Logger, pino } from 'pino';
import { announce } from './announce.ts';
import { startInstallation } from './app.ts';
import type { DataDirectory } from './data-directory/data-directory.ts';
import { removeIntoReserve, writeWithReserve } from './data-directory/reserve.ts';
import type { Installation } from './serve.ts';
import { settingsFrom } from './settings.ts';

export type RunOptions = {
  /** Whether to print the addresses of the server and, at the very first start, to create an application for the first calls. */
  readonly announces?: boolean;
  /** Called once, when the server answers reads. */
  readonly onReady?: (operator: RunningOperator) => Promise<void>;
};

/** Runs the product until SIGTERM or SIGINT stops it, and then ends the process. */
export const runServer = async (environment: NodeJS.ProcessEnv, options: RunOptions = {}): Promise<void> => {
  try {
    await run(environment, options);
  } catch (error) {
    exitOnStartupFailure(error, (failed) => failed instanceof DirectoryInUse || failed instanceof DirectoryRefused);
  }
};

const run = async (environment: NodeJS.ProcessEnv, { announces = false, onReady }: RunOptions): Promise<void> => {
  process.umask(privateUmask);
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
    writeLine: (line) => void lines.write(line),
    onFatal: (error) => {
      logger.fatal({ err: error }, 'a thread that the server needs has ended: the process ends');
      exit(1);
    },
  });
  const { operator, directory } = installation;
  noteOperator(directory, operator, logger);
  stopOnSignal({
    drainMs: settings.WAYMARK_DRAIN_SECONDS * 1_000,
    stopMs: stopMs(settings),
    drain: () => {
      installation.drain();
      return true;
    },
    close: () => closed(installation),
    exit,
  });
  await installation.complete;
  if (announces) await announce(installation);
  else logger.info({ api: operator.api, operator: operator.url }, 'started');
  await onReady?.(operator);
};

/** Writes the file by which commands find this server. On a full disk the server runs without it, and commands reach it by WAYMARK_OPS_URL. */
const noteOperator = (directory: DataDirectory, operator: RunningOperator, logger: Logger): void => {
  const { operator: file } = directory;
  try {
    writeWithReserve(directory, file, toOperatorFile(operator));
  } catch (error) {
    if (!isNoRoom(error)) throw error;
    logger.error({ err: error, file }, 'the disk is full: commands find this server only by WAYMARK_OPS_URL');
  }
};

const closed = async ({ directory, close }: Installation): Promise<void> => {
  removeIntoReserve(directory, directory.operator);
  await close();
};

if (import.meta.main) await runServer(process.env, { announces: true });
