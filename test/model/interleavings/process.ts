import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { InterleavedInstallation } from './installation.ts';
import { type Instance, type InstanceResponse, instanceOn, type Request, wrapStores } from './instance.ts';
import type { Stage } from './stage.ts';

/** The stores of a process that dies: it never continues the step at which it dies. */
type MortalStores = InterleavedInstallation & {
  readonly death: Promise<undefined>;
  /** The number of steps that were taken. */
  readonly steps: () => number;
};

/** Creates stores for a process that dies at a step. Each moment before and after a use of a store is a step.
 * @param dieAt the number of the step at which it dies */
export const createMortalStores = (installation: InterleavedInstallation, dieAt: number, stage?: Stage, log?: EventLog): MortalStores => {
  let steps = 0;
  const death = Promise.withResolvers<undefined>();
  const pass = async (where: string): Promise<void> => {
    await stage?.pause(where);
    if (steps >= dieAt) {
      death.resolve(undefined);
      await new Promise<never>(() => undefined);
    }
    steps += 1;
  };
  const stores = wrapStores(
    installation,
    async (what, use) => {
      await pass(what);
      // A call that waits for the projector does no work itself.
      const result = await (stage && !what.startsWith('reached') ? stage.busy(use()) : use());
      await pass(`after ${what}`);
      return result;
    },
    log,
  );
  return { ...stores, death: death.promise, steps: () => steps };
};

/** A process that may die. Nothing arrives from it afterwards. */
export type Mortal = {
  /** Resolves to undefined where the process died before it answered. */
  readonly send: (request: Request) => Promise<InstanceResponse | undefined>;
  readonly steps: () => number;
};

export const createMortalProcess = (installation: InterleavedInstallation, dieAt: number, stage?: Stage, log?: EventLog): Mortal => {
  const stores = createMortalStores(installation, dieAt, stage, log);
  const { send } = instanceOn(stores);
  return { send: (request) => Promise.race([send(request), stores.death]), steps: stores.steps };
};

export const immortal = Number.POSITIVE_INFINITY;

/** Creates a process that uses the stores directly, for requests before and after a race. The read models catch up immediately. */
export const directOn = (installation: InterleavedInstallation): Instance =>
  instanceOn({
    ...installation,
    reached: async () => {
      await installation.catchUp();
      return true;
    },
  });
