import type { RecordedEvent } from '@waymark/domain/event.ts';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import fc from 'fast-check';
import type { PageQuery, ReadModels } from './read-models.ts';
import { erasures } from './testing/erasures.ts';
import { accounts, histories } from './testing/histories.ts';
import { applyAll, at, beginning } from './testing/recorder.ts';
import type { ReadModelsAdapter, ReadModelsUnderTest } from './testing/subject.ts';
import { expected } from './testing/world.ts';

const limit = 3;
const stepsMax = 10_000;
/** Engines that sync each transaction take their time on a busy machine. */
const historiesTimeoutMs = 300_000;

type Walk = Pick<PageQuery, 'kind' | 'account' | 'within'>;

export const historiesContract = ({ open, rebuild }: ReadModelsAdapter) => {
  const using = async <Value>(use: (models: ReadModelsUnderTest) => Promise<Value>): Promise<Value> => {
    const models = await open();
    try {
      return await use(models);
    } finally {
      await models.close();
    }
  };

  it(
    'comes to the same, one event at a time, in any batches, and rebuilt',
    async () => {
      const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(histories({ maxLength: 150 }), sizes, fc.integer({ min: 1, max: 40 }), async ({ events }, batches, batch) => {
          const dumped = (turns: readonly number[]) =>
            using(async (models) => {
              await applyAll(models.apply, events, turns);
              const last = events.map(at).at(-1);
              if (last) expect(await models.position(0)).toEqual(last);
              return models.dump();
            });
          const oneByOne = await dumped([1]);
          expect(await dumped(batches)).toEqual(oneByOne);
          expect(await rebuild(events, batch)).toEqual(oneByOne);
        }),
        { numRuns: 25 },
      );
    },
    historiesTimeoutMs,
  );

  it(
    'comes to the same, however the partitions of its accounts take turns',
    async () => {
      const turns = fc.array(fc.nat({ max: 1 }), { minLength: 1, maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(
          histories({ maxLength: 150, apart: true }),
          turns,
          fc.integer({ min: 1, max: 20 }),
          async ({ events }, order, batch) => {
            const history = events.filter(({ stream }) => isHistory(stream));
            const inTurns = await using(async (models) => {
              await applyInTurns(models, history, order, batch);
              return models.dump();
            });
            const inOne = await using(async (models) => {
              await applyAll(models.apply, history, [batch]);
              return models.dump();
            });
            expect(inTurns).toEqual(inOne);
          },
        ),
        { numRuns: 15 },
      );
    },
    historiesTimeoutMs,
  );

  it(
    'shows in its pages what the domain says is there, both ways, and nothing else',
    async () => {
      await fc.assert(
        fc.asyncProperty(histories({ minLength: 20, maxLength: 120 }), async ({ events, world }) =>
          using(async (models) => {
            await applyAll(models.apply, events, [10]);
            for (const walk of walks(world.list.size, world.pinpoint.size)) {
              const all = expected(world, walk);
              expect(await forward(models, walk)).toEqual(all);
              expect(await backward(models, walk)).toEqual(all);
            }
          }),
        ),
        { numRuns: 25 },
      );
    },
    historiesTimeoutMs,
  );

  it(
    'comes to the same from what erasures leave, rebuilt, or met on the way',
    async () => {
      const batches = fc.integer({ min: 1, max: 40 });
      await fc.assert(
        fc.asyncProperty(
          erasures({ minLength: 20, maxLength: 150 }),
          fc.nat({ max: 300 }),
          batches,
          async ({ written, left }, from, batch) => {
            const dumped = (events: readonly RecordedEvent[]) =>
              using(async (models) => {
                await applyAll(models.apply, events, [batch]);
                return models.dump();
              });
            const before = await dumped(written);
            expect(await dumped([...written.slice(0, from), ...left.slice(from)])).toEqual(before);
            expect(await rebuild(left, batch)).toEqual(before);
          },
        ),
        { numRuns: 25 },
      );
    },
    historiesTimeoutMs,
  );

  it(
    'is rebuilt byte for byte from 20,000 random events',
    async () => {
      const [history] = fc.sample(histories({ minLength: 32_000, maxLength: 32_000 }), { numRuns: 1, seed: 5 });
      const events = history?.events ?? [];
      expect(events.length).toBeGreaterThan(20_000);
      await using(async (models) => {
        await applyAll(models.apply, events, [1, 64, 7, 500]);
        expect(await rebuild(events, 1_000)).toEqual(await models.dump());
      });
    },
    historiesTimeoutMs,
  );
};

/** The events of each account go to the account's partition, in their order, and each partition has its own position. */
const applyInTurns = async (
  models: ReadModels,
  events: readonly RecordedEvent[],
  order: readonly number[],
  batch: number,
): Promise<void> => {
  const lanes = accounts.map((account) => ({
    partition: partitionOf(account, partitionsOfCluster),
    left: events.filter(({ envelope }) => envelope.account === account),
    stands: beginning,
  }));
  expect(new Set(lanes.map(({ partition }) => partition)).size).toBe(accounts.length);
  for (const { partition } of lanes) expect(await models.apply(partition, 0, [], beginning)).toBe(true);
  for (let turn = 0; lanes.some(({ left }) => left.length > 0); turn += 1) {
    const open = lanes.filter(({ left }) => left.length > 0);
    const lane = open[(order[turn % order.length] ?? 0) % open.length];
    if (!lane) return;
    const taken = lane.left.slice(0, batch);
    const to = taken.map(at).at(-1) ?? lane.stands;
    expect(await models.apply(lane.partition, lane.stands.position, taken, to)).toBe(true);
    expect(await models.position(lane.partition)).toEqual(to);
    Object.assign(lane, { left: lane.left.slice(batch), stands: to });
  }
};

/** Every page that there is to walk through. */
const walks = (lists: number, pinpoints: number): Walk[] =>
  accounts.flatMap((account) => [
    ...(['pinpoint', 'list', 'category', 'happening'] as const).map((kind) => ({ kind, account, within: null })),
    ...Array.from({ length: lists }, (_, index) => ({ kind: 'pinpoint' as const, account, within: index + 1 })),
    ...Array.from({ length: pinpoints }, (_, index) => ({ kind: 'happening' as const, account, within: index + 1 })),
  ]);

const forward = async (models: ReadModels, walk: Walk) => {
  const items: { id: number; text: string }[] = [];
  for (let from = 0, steps = 0; steps < stepsMax; steps += 1) {
    const page = await models.page({ ...walk, direction: 'forward', from, limit });
    expect(page.before).toBe(items.length > 0);
    items.push(...page.items);
    if (!page.after) break;
    from = page.items.at(-1)?.id ?? from;
  }
  return items;
};

const backward = async (models: ReadModels, walk: Walk) => {
  const items: { id: number; text: string }[] = [];
  for (let from = Number.MAX_SAFE_INTEGER, steps = 0; steps < stepsMax; steps += 1) {
    const page = await models.page({ ...walk, direction: 'backward', from, limit });
    expect(page.after).toBe(items.length > 0);
    items.unshift(...page.items);
    if (!page.before) break;
    from = page.items[0]?.id ?? from;
  }
  return items;
};
