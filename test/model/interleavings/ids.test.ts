import { resourceKinds } from '@waymark/domain/streams.ts';
import { createIdAllocator } from '@waymark/event-log/id-allocator.ts';
import fc, { type Scheduler } from 'fast-check';
import { parameters, testMs, within } from '../parameters.ts';
import { createMortalStores } from './process.ts';
import { type Stage, stageOn } from './stage.ts';
import { useInstallation } from './use-installation.ts';

const installation = useInstallation();

const runs = 40;
const withinMs = 15_000;

/** The ids of all runs. The runs share the log, like processes that run one after the other. */
const given = new Set<string>();

/** The number and kind of the ids that a process requests, and the step at which it dies. */
type Plan = { readonly wanted: number; readonly kind: number; readonly diesAfter: number };

const allocate = async (scheduler: Scheduler, plans: readonly Plan[]): Promise<void> => {
  const stage = stageOn(scheduler, installation());
  await stage.run(plans.map((plan) => () => ask(stage, plan)));
};

const ask = async (stage: Stage, { wanted, kind, diesAfter }: Plan): Promise<void> => {
  const { log, death } = createMortalStores(installation(), diesAfter, stage);
  const ids = createIdAllocator(log);
  const resource = resourceKinds[kind % resourceKinds.length] ?? 'list';
  const take = async (): Promise<void> => {
    const id = `${resource}-${await ids.next(resource)}`;
    expect(given.has(id) ? `${id}, again` : id).toBe(id);
    given.add(id);
  };
  await Promise.race([death, Promise.all(Array.from({ length: wanted }, take))]);
};

describe('ids that several processes allocate', () => {
  it(
    'are never given out twice, whichever processes die at whichever step, in any interleaving',
    async () => {
      const plan = fc.record({
        wanted: fc.integer({ min: 1, max: 400 }),
        kind: fc.nat(1),
        diesAfter: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(12)),
      });
      const property = fc.asyncProperty(fc.scheduler(), fc.array(plan, { minLength: 2, maxLength: 4 }), within(withinMs, allocate));
      await fc.assert(property, parameters(runs));
      expect(given.size).toBeGreaterThan(0);
    },
    testMs,
  );
});
