import { setTimeout as pause } from 'node:timers/promises';
import type { SharedNumber } from '@waymark/threads/shared-number.ts';
import { createBackOff } from '@waymark/timing/back-off.ts';
import type { Logger } from 'pino';
import { currentFile, numberOf } from './generations.ts';

/** How often it looks for damage. */
const watchMs = 1_000;
/** The pauses after a failure, for example while another operation runs, or on a full disk. */
const failurePauses = { firstMs: 1_000, lastMs: 60_000 };

export type RepairOptions = {
  /** The directory of the files of the read models. */
  readonly directory: string;
  /** The number of a file of which pages are damaged: whoever finds them stores it. */
  readonly damaged: SharedNumber;
  readonly rebuild: () => Promise<unknown>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
};

/** Has the read models built again from the log where pages of their file are damaged. Until then, what is readable is read.
 * @returns a function that stops looking for damage */
export const repairReadModels = ({ directory, damaged, rebuild, logger }: RepairOptions): (() => void) => {
  const closing = new AbortController();
  const { signal } = closing;
  const backOff = createBackOff(failurePauses, signal);
  // A thread may report a file that is not the current one any more.
  const isCurrentDamaged = (): boolean => {
    const number = Atomics.load(damaged, 0);
    return number !== 0 && number === numberOf(currentFile(directory));
  };
  const repair = async (): Promise<void> => {
    logger.error({ file: currentFile(directory) }, 'the read models are damaged: they are built again from the log');
    try {
      await rebuild();
      logger.info({ file: currentFile(directory) }, 'the read models were built again');
      backOff.reset();
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'the damaged read models could not be built again yet');
      await backOff.pause();
    }
  };
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      if (isCurrentDamaged()) await repair();
      await pause(watchMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  void watch();
  return () => closing.abort();
};
