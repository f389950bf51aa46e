import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Scheduler } from 'fast-check';
import type { InterleavedInstallation } from './installation.ts';

/** Stops the caller until the scheduler lets it continue. */
export type Pause = (where: string) => Promise<void>;

/** Runs several actors at once, and a scheduler decides which of them takes the next step. The projector is one of them. */
export type Stage = {
  readonly pause: Pause;
  /** Counts work that the scheduler does not see, so that no actor continues before the work is done. */
  readonly busy: <Result>(work: Promise<Result>) => Promise<Result>;
  /** Runs all actors until they are done, and until no event is left to be projected. */
  readonly run: <Result>(acts: readonly (() => Promise<Result>)[]) => Promise<Result[]>;
};

/** Turns of the event loop within which an actor that continues reaches its next pause. */
const turns = 4;

/** Creates a stage.
 * @param look called after each event that was projected */
export const stageOn = (
  scheduler: Scheduler,
  installation: InterleavedInstallation,
  look: () => Promise<void> = async () => undefined,
): Stage => {
  const pause: Pause = (where) => scheduler.schedule(Promise.resolve(), where);
  let working = 0;
  let projecting: Promise<void> | undefined;

  const quiet = async (): Promise<void> => {
    for (let nth = 0; nth < turns; nth += 1) {
      await turn();
      while (working > 0) await turn();
    }
  };
  /** Violations that were found. They are reported at the end: until then all actors continue, so that no actor reaches into the next run. */
  const faults: Error[] = [];
  const project = async (): Promise<void> => {
    await pause('projector');
    await installation.step();
    projecting = undefined;
    await look().catch((error) => faults.push(error));
  };
  const next = async (): Promise<void> => {
    await quiet();
    if (projecting === undefined && installation.behind()) projecting = project();
    if (scheduler.count() > 0) await scheduler.waitNext(1);
    else await sleep(1);
    await quiet();
  };
  return {
    pause,
    busy: async (work) => {
      working += 1;
      try {
        return await work;
      } finally {
        working -= 1;
      }
    },
    run: async (acts) => {
      let isOver = false;
      const results = Promise.all(acts.map((act) => act())).finally(() => {
        isOver = true;
      });
      results.catch(() => undefined);
      while (!isOver || scheduler.count() > 0 || installation.behind()) await next();
      const [fault] = faults;
      if (fault !== undefined) throw fault;
      return results;
    },
  };
};
