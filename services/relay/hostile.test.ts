import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { createRelay } from './relay.ts';
import { type FakeLog, fakeLog } from './testing/fake-log.ts';
import { type FakeRecords, type Fate, fakeRecords } from './testing/fake-records.ts';
import { newLease } from './testing/lease.ts';
import { type ModelProjector, modelProjector } from './testing/model-projector.ts';
import { quick, silent, until } from './testing/relaying.ts';

const partitions = 4;

type World = {
  readonly log: FakeLog;
  readonly records: FakeRecords;
  readonly projectors: readonly ModelProjector[];
  readonly leases: readonly ReturnType<typeof newLease>[];
};
type Deed = { readonly name: string; readonly to: (clusterContext: World) => void };

const deed = <Value>(name: string, values: fc.Arbitrary<Value>, to: (clusterContext: World, value: Value) => void): fc.Arbitrary<Deed> =>
  values.map((value) => ({ name: `${name} ${JSON.stringify(value)}`, to: (clusterContext) => to(clusterContext, value) }));

const fate = fc.constantFrom<Fate>('well', 'refused', 'unacknowledged', 'partly', 'late');
const partition = fc.nat({ max: partitions - 1 });
const some = fc.integer({ min: 1, max: 12 });

const deeds = fc.oneof(
  {
    weight: 6,
    arbitrary: deed('append', fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 2 })), { minLength: 1, maxLength: 15 }), append),
  },
  {
    weight: 3,
    arbitrary: deed('fates', fc.array(fate, { minLength: 1, maxLength: 6 }), ({ records }, fates) => records.fates.push(...fates)),
  },
  { weight: 2, arbitrary: deed('truncate', fc.tuple(partition, some), ({ records }, [one, count]) => records.truncate(one, count)) },
  { weight: 1, arbitrary: deed('wipe', fc.constant(null), ({ records }) => records.wipe()) },
  { weight: 1, arbitrary: deed('log away', fc.integer({ min: 1, max: 4 }), ({ log }, times) => log.fail(times)) },
  { weight: 2, arbitrary: deed('lease', fc.tuple(fc.nat({ max: 1 }), fc.boolean()), ({ leases }, [one, held]) => leases[one]?.set(held)) },
  {
    weight: 4,
    // Offsets are a hint: records may be delivered again, or never.
    arbitrary: deed(
      'consume',
      fc.tuple(fc.nat({ max: 1 }), fc.array(fc.integer({ min: -10, max: 4 }), { minLength: partitions })),
      (clusterContext, [one, steps]) => clusterContext.projectors[one]?.consume(clusterContext.records, (at) => steps[at] ?? 0),
    ),
  },
);

function append({ log }: World, events: readonly (readonly [number, number])[]): void {
  for (const [account, housekeeping] of events) log.append(`account-${account}`, housekeeping);
}

/** Checks that a projector has an exact prefix of each partition. */
const expectPrefix = (log: FakeLog, { applied }: ModelProjector): void => {
  for (const [one, ids] of applied.entries()) expect(ids).toEqual(log.partition(one).slice(0, ids.length));
};

describe('with records that Kafka loses, repeats, reorders or delays', () => {
  it('two relays bring every projector to the content of the log', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(deeds, fc.nat({ max: 3 })), { maxLength: 25 }), async (plan) => {
        const [log, records] = [fakeLog(partitions), fakeRecords(partitions)];
        const clusterContext: World = {
          log,
          records,
          projectors: [modelProjector(log, partitions), modelProjector(log, partitions)],
          leases: [newLease(true), newLease(true)],
        };
        const relays = clusterContext.leases.map((lease) => createRelay({ log, records, lease, partitions, logger: silent, paces: quick }));
        try {
          for (const [{ to }, ms] of plan) {
            to(clusterContext);
            for (const projector of clusterContext.projectors) expectPrefix(log, projector);
            await pause(ms);
          }
          clusterContext.leases[0]?.set(true);
          records.fates.length = 0;
          await until(() => {
            for (const projector of clusterContext.projectors) projector.consume(records);
            return clusterContext.projectors.every(({ applied }) => applied.every((ids, one) => ids.length === log.partition(one).length));
          });
          for (const projector of clusterContext.projectors) expectPrefix(log, projector);
        } finally {
          await Promise.all(relays.map(({ close }) => close()));
        }
      }),
      { numRuns: 120, endOnFailure: true },
    );
  });
});
