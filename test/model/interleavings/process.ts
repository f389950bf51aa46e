import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { InterleavedInstallation } from './installation.ts';
import { type Instance, instanceOn, type Request, storesThrough, type Told } from './instance.ts';
import type { Stage } from './stage.ts';

/** Stores as a process knows them that dies: whatever it was about to do then, it never does. */
type MortalStores = InterleavedInstallation & {
  readonly death: Promise<undefined>;
  /** How many steps were taken. */
  readonly steps: () => number;
};

/** A step is each moment before and after a use of a store.
 * @param dieAt the number of the step that is not survived */
export const mortalStores = (world: InterleavedInstallation, dieAt: number, stage?: Stage, log?: EventLog): MortalStores => {
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
  const stores = storesThrough(
    world,
    async (what, use) => {
      await pass(what);
      // What waits for the projector is no work of its own.
      const result = await (stage && !what.startsWith('reached') ? stage.busy(use()) : use());
      await pass(`after ${what}`);
      return result;
    },
    log,
  );
  return { ...stores, death: death.promise, steps: () => steps };
};

/** A process that may die; nobody hears of it again. */
export type Mortal = {
  /** Undefined: it died before it answered. */
  readonly send: (request: Request) => Promise<Told | undefined>;
  readonly steps: () => number;
};

export const mortalOn = (world: InterleavedInstallation, dieAt: number, stage?: Stage, log?: EventLog): Mortal => {
  const stores = mortalStores(world, dieAt, stage, log);
  const { send } = instanceOn(stores);
  return { send: (request) => Promise.race([send(request), stores.death]), steps: stores.steps };
};

export const immortal = Number.POSITIVE_INFINITY;

/** A process on the bare stores, for whatever comes before and after; the read side follows it at once. */
export const directOn = (world: InterleavedInstallation): Instance =>
  instanceOn({
    ...world,
    reached: async () => {
      await world.catchUp();
      return true;
    },
  });
