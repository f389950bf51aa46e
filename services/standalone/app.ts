import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import type { Logger } from 'pino';
import { finishRestore } from './backup/restore.ts';
import { type DataDirectory, ownDataDirectory } from './data-directory/data-directory.ts';
import { highestIds, renewClosedLog, rollbackOf } from './data-directory/renewal.ts';
import { keepReserve, useReserve } from './data-directory/reserve.ts';
import { warnOfFirstApplication } from './first-application.ts';
import type { Installation, InstallationOptions } from './serve.ts';
import { openStores } from './stores.ts';
import { memoryPlan, possibleThreads } from './threads/plan.ts';

/** Starts the whole product in this process, on one data directory.
 * @throws DirectoryInUse, DirectoryRefused, and the error of listening if an address is in use */
export const startInstallation = async (options: InstallationOptions): Promise<Installation> => {
  const directory = ownDataDirectory(options.settings.WAYMARK_DATA_DIR, (warning) => options.logger.warn(warning));
  try {
    return await startWithRoom(directory, options);
  } catch (error) {
    directory.release();
    throw error;
  }
};

const startWithRoom = async (directory: DataDirectory, options: InstallationOptions): Promise<Installation> => {
  const release = useReserve(directory);
  if (release) options.logger.error('the disk is full: the server starts for reads, and accepts writes once there is space');
  try {
    await repair(directory, options.logger);
    return await startIn(directory, options);
  } finally {
    release?.();
  }
};

/** Completes work that a crash has interrupted, and detects a log that was rolled back by hand. */
const repair = async (directory: DataDirectory, logger: Logger): Promise<void> => {
  await finishRestore(directory);
  warnOfFirstApplication(directory, logger);
  const rollback = await rollbackOf(directory);
  if (rollback === undefined) return;
  logger.warn(
    rollback,
    'the log is not the one that the read models were built from, or lacks its last events: it gets a new incarnation, ids are skipped, tokens are deleted',
  );
  await renewClosedLog(directory.log, directory.tokens, highestIds(directory));
};

const noPlace =
  'checkpoints are kept in the data directory only: set WAYMARK_CHECKPOINTS_TO, so that others can tell whether the data was replaced';

const startIn = async (directory: DataDirectory, options: InstallationOptions): Promise<Installation> => {
  const { settings, logger, onFatal } = options;
  if (settings.WAYMARK_CHECKPOINTS_TO === '') logger.warn(noPlace);
  const threads = await possibleThreads(settings, logger);
  const memory = memoryPlan(memoryBytesOf(settings), threads);
  // The code that serves loads while the thread of the log starts.
  const [stores, { serve }] = await Promise.all([openStores({ directory, settings, memory, logger, onFatal }), import('./serve.ts')]);
  void stores.complete.then(
    () => keepReserve(directory, false),
    () => undefined,
  );
  try {
    return await serve({ directory, stores, threads, memory, ...options });
  } catch (error) {
    await stores.close();
    throw error;
  }
};
