import { setImmediate as turn } from 'node:timers/promises';
import type { PartitionRecord, ReceivedRecord } from '@waymark/broker/broker.ts';
import fc from 'fast-check';
import { ProjectionEnded } from './partitions/projection.ts';
import { expectComplete, model } from './testing/model.ts';
import { modelPartitions } from './testing/model-log.ts';
import type { Fault } from './testing/model-read-side.ts';

const partition = fc.nat(modelPartitions - 1);

/** What happens to the records of a partition since the last delivery. */
const delivery = fc.record({
  kind: fc.constantFrom('sent', 'sent', 'sent', 'lost', 'twice', 'backwards', 'late', 'tail lost', 'old', 'forged'),
  partition,
  /** The projector that receives them. */
  projector: fc.nat(1),
});
type Delivery = typeof delivery extends fc.Arbitrary<infer Value> ? Value : never;

const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ happens: fc.constant('append' as const), partition: fc.option(partition, { nil: undefined }) }) },
  { weight: 4, arbitrary: fc.record({ happens: fc.constant('deliver' as const), delivery }) },
  { weight: 1, arbitrary: fc.record({ happens: fc.constant('watermark' as const), partition, projector: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ happens: fc.constant('pause' as const) }) },
);

const faults = fc.infiniteStream(
  fc.oneof({ weight: 12, arbitrary: fc.constant<Fault>('none') }, { weight: 1, arbitrary: fc.constantFrom<Fault>('fails', 'answer lost') }),
);
const logFaults = fc.infiniteStream(fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }));

const mangled = ({ kind }: Delivery, records: readonly PartitionRecord[]): readonly ReceivedRecord[] => {
  switch (kind) {
    case 'lost':
      return [];
    case 'forged':
      // Every second record was rejected.
      return records.filter((_, nth) => nth % 2 === 1).map((record) => ({ ...record, followsLeftOut: true }));
    case 'twice':
      return [...records, ...records];
    case 'backwards':
      return [...records].reverse();
    case 'tail lost':
      return records.slice(0, Math.ceil(records.length / 2));
    case 'old':
      return records.map((record) => ({ ...record, incarnation: 'of long ago', eventId: 'another', position: record.position + 1_000 }));
    default:
      return records;
  }
};

/** Returns the records as seen by a projector that ignores predecessors. */
const blind = (records: readonly PartitionRecord[]): PartitionRecord[] =>
  records.map((record) => ({ ...record, previous: 0, eventId: '' }));

type Run = {
  readonly happenings: readonly (typeof happening extends fc.Arbitrary<infer Value> ? Value : never)[];
  readonly faults?: Iterator<Fault>;
  readonly logFaults?: Iterator<boolean>;
  readonly see?: (records: readonly ReceivedRecord[]) => readonly ReceivedRecord[];
};

const run = async ({ happenings, faults: fault, logFaults: logFault, see = (records) => records }: Run): Promise<void> => {
  const clusterContext = model({
    projections: 2,
    ...(fault && { fault: () => fault.next().value ?? 'none' }),
    ...(logFault && { logFaulty: () => logFault.next().value ?? false }),
  });
  const { log, relay, projections, readSide } = clusterContext;
  const late: { readonly projector: number; readonly records: readonly ReceivedRecord[] }[] = [];
  const give = (projector: number, records: readonly ReceivedRecord[]): void => {
    const [first] = records;
    if (first === undefined) return;
    projections[projector]?.handle(first.partition, see(records)).catch((error: unknown) => expect(error).toBeInstanceOf(ProjectionEnded));
  };
  try {
    for (const one of happenings) {
      if (one.happens === 'append') log.append(one.partition);
      else if (one.happens === 'pause') for (let turns = 0; turns < 10; turns += 1) await turn();
      else if (one.happens === 'watermark') give(one.projector, [relay.watermark(one.partition)]);
      else {
        const records = mangled(one.delivery, relay.events(one.delivery.partition));
        if (one.delivery.kind === 'forged') projections[one.delivery.projector]?.doubt(one.delivery.partition);
        if (one.delivery.kind === 'late') late.push({ projector: one.delivery.projector, records });
        else give(one.delivery.projector, records);
      }
    }
    for (const { projector, records } of late) give(projector, records);
    // After that, only one watermark for each partition arrives, at one of the two projectors.
    for (let nth = 0; nth < modelPartitions; nth += 1) give(nth % 2, [relay.watermark(nth)]);
    await expectComplete(log, readSide);
  } finally {
    await clusterContext.stop();
  }
};

describe('read models, whatever Kafka, MongoDB and the log do,', () => {
  it('are an exact prefix of the log, and contain all of it in the end', async () => {
    const runs = fc.record({ happenings: fc.array(happening, { maxLength: 80 }), faults, logFaults });
    await fc.assert(
      fc.asyncProperty(runs, (given) => run(given)),
      { numRuns: Number(process.env['WAYMARK_PROPERTY_RUNS'] ?? 150) },
    );
  });

  it('are built from the log if Kafka delivers only watermarks', async () => {
    const appends = fc.array(fc.record({ happens: fc.constant('append' as const), partition: fc.option(partition, { nil: undefined }) }), {
      maxLength: 300,
    });
    await fc.assert(
      fc.asyncProperty(appends, faults, (happenings, fault) => run({ happenings, faults: fault })),
      { numRuns: 25 },
    );
  });

  it('would be found wrong if the projector applied a record without its predecessor', async () => {
    const property = fc.asyncProperty(fc.array(happening, { minLength: 20, maxLength: 80 }), (happenings) =>
      run({ happenings, see: blind }),
    );
    const { errorInstance } = await fc.check(property, { numRuns: 100, endOnFailure: true });
    expect(String(errorInstance)).toMatch(/partition \d at \d+ has [\d ]*, the log/);
  });
});
