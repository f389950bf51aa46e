import { acknowledgingRepeats } from '@waymark/event-log/testing/acknowledging-repeats.ts';
import type { InterleavedInstallation } from './installation.ts';
import { type InstanceResponse, instanceOn, type Request, wrapStores } from './instance.ts';

/** What other processes do when a process is about to use a store for the first time, or has just used it: `append list-1`, `after append
 * list-1`. */
export type Meanwhile = readonly (readonly [at: RegExp, act: (stream: string) => Promise<unknown>])[];

/** Sends a request through a process of its own, and lets others act meanwhile. Its log acknowledges repeated event ids as EventStoreDB
 * does. */
export const sendWithInterference = (
  installation: InterleavedInstallation,
  request: Request,
  meanwhile: Meanwhile,
): Promise<InstanceResponse> => {
  const open = new Set(meanwhile);
  const pass = async (where: string): Promise<void> => {
    const due = [...open].find(([at]) => at.test(where));
    if (due === undefined) return;
    open.delete(due);
    await due[1](where.split(' ').at(-1) ?? '');
  };
  const stores = wrapStores(
    {
      ...installation,
      reached: () => installation.catchUp().then(() => true as const),
    },
    async (what, use) => {
      await pass(what);
      const result = await use();
      await pass(`after ${what}`);
      return result;
    },
    acknowledgingRepeats(installation.log),
  );
  return instanceOn(stores).send(request);
};
