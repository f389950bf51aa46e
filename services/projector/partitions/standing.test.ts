import { setTimeout as pause } from 'node:timers/promises';
import { expectComplete } from '../testing/model.ts';
import { useProjectionSetups } from '../testing/projection-setup.ts';

const { newSetup, appendTo } = useProjectionSetups();
const standingEveryMs = 100;

describe('a partition whose records reach no projector', () => {
  it('is read from the log, by any projector, and reported', async () => {
    const setup = newSetup({ standingEveryMs, projections: 2 });
    appendTo(setup, 0, 1, 1, 2);
    for (const partition of [0, 2])
      await setup.projection.handle(partition, [...setup.relay.events(partition), setup.relay.watermark(partition)]);
    await expectComplete(setup.log, setup.readSide);
    appendTo(setup, 1);
    for (const partition of [0, 2]) await setup.projection.handle(partition, [setup.relay.watermark(partition)]);
    await expectComplete(setup.log, setup.readSide);
    const warning =
      'In the last minute, records of these partitions did not arrive: 1. Their events were read from the log, seconds later.';
    for (const { warnings } of setup.projections) expect([[], [warning]]).toContainEqual(warnings());
    expect(setup.projections.flatMap(({ warnings }) => warnings())).toContain(warning);
  });

  it('is read from the log while the log has no answer now and then', async () => {
    let asked = 0;
    const setup = newSetup({ standingEveryMs: 20, logFaulty: () => asked++ % 3 === 0 });
    appendTo(setup, 0, 1, 2, 0);
    await expectComplete(setup.log, setup.readSide);
  });
});

describe('a partition that has all events of the log, or moves', () => {
  it('is not read from the log', async () => {
    const setup = newSetup({ standingEveryMs });
    const { projection, relay, log, readSide } = setup;
    for (let turn = 0; turn < 20; turn += 1) {
      // More events than arrive: the partitions are always behind the log.
      appendTo(setup, 0, 1, 2);
      const records = [0, 1, 2].map((partition) => [...relay.events(partition), relay.watermark(partition)]);
      appendTo(setup, 0, 1, 2);
      await Promise.all(records.map((some, partition) => projection.handle(partition, some)));
      await pause(standingEveryMs / 4);
    }
    await Promise.all([0, 1, 2].map((partition) => projection.handle(partition, [...relay.events(partition), relay.watermark(partition)])));
    await expectComplete(log, readSide);
    await pause(3 * standingEveryMs);
    expect(projection.stats().totals).toMatchObject({ filled: 0, scans: 0 });
    expect(projection.warnings()).toEqual([]);
  });
});
