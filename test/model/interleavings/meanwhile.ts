import { acknowledgingRepeats } from '@waymark/event-log/testing/acknowledging-repeats.ts';
import type { InterleavedInstallation } from './installation.ts';
import { instanceOn, type Request, storesThrough, type Told } from './instance.ts';

/** What other processes do when a process is about to use a store for the first time, or has just used it: `append list-1`, `after append
 * list-1`. */
export type Meanwhile = readonly (readonly [at: RegExp, act: (stream: string) => Promise<unknown>])[];

/** Sends a request through a process of its own, and lets others act meanwhile. Its log acknowledges repeated event ids as EventStoreDB
 * does. */
export const sendWhileOn = (world: InterleavedInstallation, request: Request, meanwhile: Meanwhile): Promise<Told> => {
  const open = new Set(meanwhile);
  const pass = async (where: string): Promise<void> => {
    const due = [...open].find(([at]) => at.test(where));
    if (due === undefined) return;
    open.delete(due);
    await due[1](where.split(' ').at(-1) ?? '');
  };
  const stores = storesThrough(
    {
      ...world,
      reached: () => world.catchUp().then(() => true as const),
    },
    async (what, use) => {
      await pass(what);
      const result = await use();
      await pass(`after ${what}`);
      return result;
    },
    acknowledgingRepeats(world.log),
  );
  return instanceOn(stores).send(request);
};
