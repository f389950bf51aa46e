// Long because each kind of record that does not directly follow has a test of its own.

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { PartitionRecord } from '@waymark/broker/broker.ts';
import { expectComplete } from '../testing/model.ts';
import type { Fault } from '../testing/model-read-side.ts';
import { useProjectionSetups } from '../testing/projection-setup.ts';
import { waitUntil } from '../testing/until.ts';
import { ProjectionEnded } from './projection.ts';

const { newSetup, appendTo } = useProjectionSetups();
type World = ReturnType<typeof newSetup>;

describe('records without a gap', () => {
  it('are applied in one transaction for all waiting partitions, and `handle` resolves', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 0, 1, 2, 0, 1, 2, 0);
    await Promise.all([0, 1, 2].map((partition) => clusterContext.projection.handle(partition, clusterContext.relay.events(partition))));
    await expectComplete(clusterContext.log, clusterContext.readSide);
    expect(clusterContext.readSide.tried).toHaveLength(1);
    expect(clusterContext.projection.stats().totals).toMatchObject({ batches: 1, events: 7, filled: 0, skipped: 0, missed: 0 });
  });

  it('are announced once they are committed', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 1, 1);
    await clusterContext.projection.handle(1, clusterContext.relay.events(1));
    expect(clusterContext.announced).toEqual([{ generation: '1-1', partition: 1, position: clusterContext.log.head() }]);
  });

  it('are applied, and the log says once that the clock is behind, if their events are more than 5 s ahead of it', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 0, 0);
    const records = clusterContext.relay.events(0);
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse(clusterContext.log.eventsOf(0)[0]?.envelope.time ?? '') - 5_001);
    for (const record of records) await clusterContext.projection.handle(0, [record]);
    jest.restoreAllMocks();
    await expectComplete(clusterContext.log, clusterContext.readSide);
    expect(clusterContext.lines.filter((line) => line.includes('clock'))).toEqual([expect.stringContaining('"behindMs":5001')]);
  });

  it('are skipped if they were applied before, and `handle` resolves', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 0, 0, 0);
    const records = clusterContext.relay.events(0);
    await clusterContext.projection.handle(0, records);
    await clusterContext.projection.handle(0, records);
    await expectComplete(clusterContext.log, clusterContext.readSide);
    expect(clusterContext.projection.stats().totals).toMatchObject({ events: 3, skipped: 3 });
  });

  it('may be watermarks: the partition moves on without an event', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 0, 1);
    await clusterContext.projection.handle(0, clusterContext.relay.events(0));
    await clusterContext.projection.handle(0, [clusterContext.relay.watermark(0)]);
    expect(clusterContext.readSide.position(0)).toMatchObject({
      position: clusterContext.log.head(),
      event: clusterContext.log.eventsOf(0)[0]?.envelope.id,
    });
  });
});

describe('a transaction that is too large for the store', () => {
  it('is tried again in smaller ones, until they succeed', async () => {
    const clusterContext = newSetup({ eventsMax: 3 });
    appendTo(clusterContext, ...Array.from({ length: 40 }, (_, nth) => nth % 2));
    await Promise.all([0, 1].map((partition) => clusterContext.projection.handle(partition, clusterContext.relay.events(partition))));
    await expectComplete(clusterContext.log, clusterContext.readSide);
  });
});

describe('a gap', () => {
  it('is filled from the log, with one read for all partitions that have a gap', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 0, 1, 2, 0, 1, 2);
    for (const partition of [0, 1, 2]) clusterContext.relay.events(partition);
    appendTo(clusterContext, 0, 1, 2);
    await Promise.all([0, 1, 2].map((partition) => clusterContext.projection.handle(partition, clusterContext.relay.events(partition))));
    await expectComplete(clusterContext.log, clusterContext.readSide);
    const { totals } = clusterContext.projection.stats();
    expect(totals.scans).toBe(1);
    expect(totals.missed + totals.filled).toBeGreaterThan(0);
  });

  it('at the end of a partition without later events is found with the next watermark', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 0, 0);
    await clusterContext.projection.handle(0, clusterContext.relay.events(0));
    appendTo(clusterContext, 0, 0, 0);
    clusterContext.relay.events(0);
    await clusterContext.projection.handle(0, [clusterContext.relay.watermark(0)]);
    await expectComplete(clusterContext.log, clusterContext.readSide);
  });

  it('blocks no caller while the log is unavailable, and is filled afterwards', async () => {
    let unavailable = true;
    const clusterContext = newSetup({ logFaulty: () => unavailable });
    appendTo(clusterContext, 0, 1, 0, 1);
    await clusterContext.projection.handle(0, clusterContext.relay.events(0).slice(1));
    await clusterContext.projection.handle(1, clusterContext.relay.events(1));
    expect(clusterContext.readSide.applied(1)).toHaveLength(2);
    expect(clusterContext.readSide.applied(0)).toHaveLength(0);
    const [last] = clusterContext.log.eventsOf(0).slice(-1);
    expect(clusterContext.projection.stats().partitions[0]).toMatchObject({ position: 0, behind: last?.position });
    unavailable = false;
    await expectComplete(clusterContext.log, clusterContext.readSide);
  });

  it('that nothing can fill does not keep other partitions from filling theirs', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 0, 1, 1, 1);
    const beyond = clusterContext.log.head() + 1_000;
    await clusterContext.projection.handle(0, [{ ...clusterContext.relay.watermark(0), previous: beyond, position: beyond + 1 }]);
    await waitUntil(
      'the log was read to its end',
      () => (clusterContext.readSide.position(0)?.position ?? 0) === clusterContext.log.head(),
    );
    await clusterContext.projection.handle(1, clusterContext.relay.events(1).slice(2));
    await expectComplete(clusterContext.log, clusterContext.readSide);
  });

  it('over the whole log is closed without a record when a partition catches up at once', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 0, 1, 2, 0, 1, 2);
    clusterContext.projection.catchUp([0, 1, 2], clusterContext.log.head());
    await expectComplete(clusterContext.log, clusterContext.readSide);
    expect(clusterContext.projection.stats().totals).toMatchObject({ scans: 1, filled: 6 });
  });
});

describe('a generation', () => {
  const given = async (clusterContext: World, change: (record: PartitionRecord) => Partial<PartitionRecord>) => {
    appendTo(clusterContext, 0, 0);
    await clusterContext.projection.handle(0, clusterContext.relay.events(0));
    appendTo(clusterContext, 0);
    const handled = clusterContext.projection.handle(
      0,
      clusterContext.relay.events(0).map((record) => ({ ...record, ...change(record) })),
    );
    handled.catch(() => undefined);
    return handled;
  };

  it('skips records of a log that was replaced before the generation was built', async () => {
    const clusterContext = newSetup();
    await given(clusterContext, () => ({ incarnation: 'replaced' }));
    expect(clusterContext.readSide.applied(0)).toHaveLength(2);
    await clusterContext.projection.handle(0, [clusterContext.relay.watermark(0)]);
    await expectComplete(clusterContext.log, clusterContext.readSide);
  });

  it('cannot be used any more once the log was replaced', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 1);
    clusterContext.log.renew('renewed', 0);
    const handled = given(clusterContext, () => ({}));
    await expect(clusterContext.projection.ended).resolves.toBe('outdated');
    await expect(handled).rejects.toThrow(ProjectionEnded);
    expect(clusterContext.readSide.applied(0)).toHaveLength(0);
  });

  it('cannot be used any more once its positions are lost', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 0);
    await clusterContext.projection.handle(0, clusterContext.relay.events(0));
    clusterContext.readSide.wipe();
    appendTo(clusterContext, 0);
    await expect(clusterContext.projection.handle(0, clusterContext.relay.events(0))).rejects.toThrow(ProjectionEnded);
    await expect(clusterContext.projection.ended).resolves.toBe('lost');
  });

  it('cannot be used any more if its last event is not that of the log', async () => {
    const clusterContext = newSetup();
    await expect(given(clusterContext, ({ previous }) => ({ event: null, previous, eventId: 'never applied' }))).rejects.toThrow(
      ProjectionEnded,
    );
    await expect(clusterContext.projection.ended).resolves.toBe('diverged');
  });
});

describe('unavailable read models', () => {
  it('are waited for: received records are applied once the read models are available again', async () => {
    let unavailable = true;
    const clusterContext = newSetup({ fault: () => (unavailable ? 'fails' : 'none') });
    appendTo(clusterContext, 0, 1);
    const handled = Promise.all(
      [0, 1].map((partition) => clusterContext.projection.handle(partition, clusterContext.relay.events(partition))),
    );
    await waitUntil('several attempts failed', () => clusterContext.projection.stats().totals.failures > 3);
    unavailable = false;
    await handled;
    await expectComplete(clusterContext.log, clusterContext.readSide);
  });

  it('are counted as failures; a transaction whose response was lost is detected, and not repeated', async () => {
    const faults: readonly Fault[] = ['none', 'fails', 'none', 'answer lost'];
    let asked = 0;
    const clusterContext = newSetup({ fault: () => faults[asked++] ?? 'none' });
    appendTo(clusterContext, 0);
    await clusterContext.projection.handle(0, clusterContext.relay.events(0));
    await expectComplete(clusterContext.log, clusterContext.readSide);
    expect(clusterContext.readSide.tried).toHaveLength(2);
    expect(clusterContext.projection.stats().totals).toMatchObject({ batches: 0, failures: 2, conflicts: 0, skipped: 1 });
  });
});

describe('a transaction', () => {
  it('applies a limited number of events', async () => {
    const clusterContext = newSetup();
    for (let nth = 0; nth < 2_500; nth += 1) clusterContext.log.append(0);
    for (let nth = 0; nth < 100; nth += 1) clusterContext.log.append(1);
    await Promise.all([0, 1].map((partition) => clusterContext.projection.handle(partition, clusterContext.relay.events(partition))));
    await expectComplete(clusterContext.log, clusterContext.readSide);
    const sizes = clusterContext.readSide.tried.map((steps) => steps.reduce((sum, { events }) => sum + events.length, 0));
    expect(Math.max(...sizes)).toBe(2_000);
  });

  it('applies fewer events if each writes a thousand rows', async () => {
    const clusterContext = newSetup();
    const pinpoints = JSON.stringify(Array.from({ length: 1_000 }, (_, nth) => 100_000 + nth));
    for (let nth = 0; nth < 200; nth += 1) clusterContext.log.append(0, 'PinpointsAdded', pinpoints);
    await clusterContext.projection.handle(0, clusterContext.relay.events(0));
    await expectComplete(clusterContext.log, clusterContext.readSide);
    const sizes = clusterContext.readSide.tried.map((steps) => steps.reduce((sum, { events }) => sum + events.length, 0));
    expect(Math.max(...sizes)).toBeLessThan(30);
  });

  it('is finished when the projection is stopped; further waiting records are not applied', async () => {
    const clusterContext = newSetup();
    for (let nth = 0; nth < 2_500; nth += 1) clusterContext.log.append(0);
    const handled = clusterContext.projection.handle(0, clusterContext.relay.events(0));
    handled.catch(() => undefined);
    while (clusterContext.readSide.tried.length === 0) await turn();
    await clusterContext.projection.stop();
    await expect(handled).rejects.toThrow(ProjectionEnded);
    expect(clusterContext.readSide.applied(0)).toHaveLength(2_000);
    await expect(clusterContext.projection.handle(0, [])).rejects.toThrow(ProjectionEnded);
  });
});

describe('two projectors with the same partition', () => {
  it('count a conflict if the other one applied the events first', async () => {
    const clusterContext = newSetup({ projections: 2 });
    for (const projection of clusterContext.projections) {
      appendTo(clusterContext, 0);
      await projection.handle(0, clusterContext.relay.events(0));
    }
    await expectComplete(clusterContext.log, clusterContext.readSide);
    expect(clusterContext.projections.map(({ stats }) => stats().totals.conflicts)).toEqual([0, 1]);
  });

  it('reach the same result, and do not block the other partitions', async () => {
    const clusterContext = newSetup({ projections: 2 });
    for (let round = 0; round < 50; round += 1) {
      appendTo(clusterContext, 0, 1, 2);
      const records = [0, 1, 2].map((partition) => clusterContext.relay.events(partition));
      await Promise.all(clusterContext.projections.flatMap(({ handle }) => records.map((some, partition) => handle(partition, some))));
    }
    await expectComplete(clusterContext.log, clusterContext.readSide);
  });
});

describe('rejected records', () => {
  const afterLeftOut = (records: readonly PartitionRecord[]) => records.map((record) => ({ ...record, followsLeftOut: true }));

  it('are read from the log, even if no record follows them', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 0, 1, 0);
    clusterContext.projection.doubt(0);
    await waitUntil('the partition has all events of the log', () => clusterContext.readSide.applied(0).length === 2);
    expect(clusterContext.readSide.applied(1)).toEqual([]);
    expect(clusterContext.readSide.violations).toEqual([]);
  });

  it('cause at most one read of the log per second and partition, however many they are and whatever gaps they leave', async () => {
    const clusterContext = newSetup();
    const startedMs = performance.now();
    for (let round = 0; round < 60; round += 1) {
      appendTo(clusterContext, 0, 0);
      const [, second] = clusterContext.relay.events(0);
      clusterContext.projection.doubt(0);
      await clusterContext.projection.handle(0, afterLeftOut(second ? [second] : []));
      await pause(30);
    }
    const readings = clusterContext.projection.stats().totals.scans;
    expect(readings).toBeGreaterThan(0);
    expect(readings).toBeLessThanOrEqual(1 + Math.floor((performance.now() - startedMs) / 1_000));
    await expectComplete(clusterContext.log, clusterContext.readSide);
  });

  it('do not delay records without a gap, or gaps that have another cause', async () => {
    const clusterContext = newSetup();
    appendTo(clusterContext, 0);
    clusterContext.projection.doubt(0);
    await waitUntil('the first read for rejected records is done', () => clusterContext.readSide.applied(0).length === 1);
    clusterContext.relay.events(0);
    // The next read for rejected records is a second from now at the earliest. The log may be read only once more.
    clusterContext.projection.doubt(0);
    appendTo(clusterContext, 0);
    await clusterContext.projection.handle(0, afterLeftOut(clusterContext.relay.events(0)));
    expect(clusterContext.readSide.applied(0)).toHaveLength(2);
    appendTo(clusterContext, 0, 0);
    await clusterContext.projection.handle(0, clusterContext.relay.events(0).slice(1));
    const partitionState = () => clusterContext.projection.stats().totals;
    await waitUntil('the gap is filled', () => clusterContext.readSide.applied(0).length === 4);
    expect(partitionState().scans).toBeGreaterThanOrEqual(2);
    await expectComplete(clusterContext.log, clusterContext.readSide);
  });
});
