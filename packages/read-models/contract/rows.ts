import type { RecordedEvent } from '@waymark/domain/event.ts';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import fc from 'fast-check';
import type { ReadModels } from '../read-models.ts';
import { erasures } from '../testing/erasures.ts';
import { accounts, histories } from '../testing/histories.ts';
import { interleavings } from '../testing/interleavings.ts';
import { applyAll, at, beginning } from '../testing/recorder.ts';
import { historiesTimeoutMs, type ReadModelsAdapter, using } from '../testing/subject.ts';

/** The contract for the rows that any history leaves in a store. */
export const rowsContract = ({ open, rebuild, runs }: Required<ReadModelsAdapter>) => {
  it.each([
    ['', histories],
    [', of events that refer to pinpoints which are created later', interleavings],
  ])(
    'has the same rows, one event at a time, in any batches, and rebuilt%s',
    async (_, logs) => {
      const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(logs({ maxLength: 150 }), sizes, fc.integer({ min: 1, max: 40 }), async ({ events }, batches, batch) => {
          const dumped = (turns: readonly number[]) =>
            using(open, async (models) => {
              await applyAll(models.apply, events, turns);
              const last = events.map(at).at(-1);
              if (last) expect(await models.position(0)).toEqual(last);
              return models.dump();
            });
          const oneByOne = await dumped([1]);
          expect(await dumped(batches)).toEqual(oneByOne);
          expect(await rebuild(events, batch)).toEqual(oneByOne);
        }),
        { numRuns: runs },
      );
    },
    historiesTimeoutMs,
  );

  it(
    'has the same rows, however the partitions of its accounts are interleaved',
    async () => {
      const turns = fc.array(fc.nat({ max: 1 }), { minLength: 1, maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(
          histories({ maxLength: 150, apart: true }),
          turns,
          fc.integer({ min: 1, max: 20 }),
          async ({ events }, order, batch) => {
            const history = events.filter(({ stream }) => isHistory(stream));
            const inTurns = await using(open, async (models) => {
              await applyInTurns(models, history, order, batch);
              return models.dump();
            });
            const inOne = await using(open, async (models) => {
              await applyAll(models.apply, history, [batch]);
              return models.dump();
            });
            expect(inTurns).toEqual(inOne);
          },
        ),
        { numRuns: runs },
      );
    },
    historiesTimeoutMs,
  );

  it(
    'has the same rows after erasures, rebuilt or in the course of applying it',
    async () => {
      const batches = fc.integer({ min: 1, max: 40 });
      await fc.assert(
        fc.asyncProperty(
          erasures({ minLength: 20, maxLength: 150 }),
          fc.nat({ max: 300 }),
          batches,
          async ({ written, left }, from, batch) => {
            const dumped = (events: readonly RecordedEvent[]) =>
              using(open, async (models) => {
                await applyAll(models.apply, events, [batch]);
                return models.dump();
              });
            const before = await dumped(written);
            expect(await dumped([...written.slice(0, from), ...left.slice(from)])).toEqual(before);
            expect(await rebuild(left, batch)).toEqual(before);
          },
        ),
        { numRuns: runs },
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
      await using(open, async (models) => {
        await applyAll(models.apply, events, [1, 64, 7, 500]);
        expect(await rebuild(events, 1_000)).toEqual(await models.dump());
      });
    },
    historiesTimeoutMs,
  );
};

/** Applies the events of each account to its partition, in order. Each partition has its own position. */
const applyInTurns = async (
  models: ReadModels,
  events: readonly RecordedEvent[],
  order: readonly number[],
  batch: number,
): Promise<void> => {
  const lanes = accounts.map((account) => ({
    partition: partitionOf(account, partitionsOfCluster),
    left: events.filter(({ envelope }) => envelope.account === account),
    reached: beginning,
  }));
  expect(new Set(lanes.map(({ partition }) => partition)).size).toBe(accounts.length);
  for (const { partition } of lanes) expect(await models.apply(partition, 0, [], beginning)).toBe(true);
  for (let turn = 0; lanes.some(({ left }) => left.length > 0); turn += 1) {
    const open = lanes.filter(({ left }) => left.length > 0);
    const lane = open[(order[turn % order.length] ?? 0) % open.length];
    if (!lane) return;
    const taken = lane.left.slice(0, batch);
    const to = taken.map(at).at(-1) ?? lane.reached;
    expect(await models.apply(lane.partition, lane.reached.position, taken, to)).toBe(true);
    expect(await models.position(lane.partition)).toEqual(to);
    Object.assign(lane, { left: lane.left.slice(batch), reached: to });
  }
};
