import { setTimeout as wait } from 'node:timers/promises';
import { createLogThrottle } from '@waymark/cluster-runtime/log-throttle.ts';
import type { Logger } from 'pino';
import { cleanEveryMs } from './limits.ts';

export type HistoryCleanerOptions = {
  readonly readSide: {
    readonly generation: (name: string) => { readonly history: { readonly clean: () => Promise<boolean> } };
  };
  /** Returns the names of the generations that this process feeds. */
  readonly fed: () => readonly string[];
  readonly logger: Logger;
};

/** Deletes from the history what erasures have left, in the generations that this process feeds. */
export const cleanHistory = ({ readSide, fed, logger }: HistoryCleanerOptions): { readonly close: () => Promise<void> } => {
  const closing = new AbortController();
  const { signal } = closing;
  const tell = createLogThrottle((error) => logger.warn({ err: error }, 'the history could not be cleaned; retrying'));

  const cleanAll = async (): Promise<void> => {
    for (const name of fed()) while (!signal.aborted && (await readSide.generation(name).history.clean()));
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await cleanAll().catch(tell);
      await wait(cleanEveryMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    close: async () => {
      closing.abort();
      await running;
    },
  };
};
