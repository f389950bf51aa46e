import type { Column, RowResult } from '../figure.ts';
import { grow } from '../fill.ts';
import { limits } from '../limits.ts';
import { creates } from '../loads.ts';
import { inTurn, runLoad } from '../measure.ts';
import type { BenchServers } from '../servers.ts';
import { lagBuckets, lagP99Ms, rebuild } from '../waymark.ts';

/** Measures how long after its commit an event is visible to all readers, while 64 connections create pinpoints. */
export const measureLag = async (bench: BenchServers): Promise<RowResult> => {
  const server = await bench.growing('waymark');
  const measure = async (seconds: number): Promise<number> => {
    const before = await lagBuckets(server.directory);
    await runLoad(bench.generator, creates(server), seconds);
    return lagP99Ms(before, await lagBuckets(server.directory));
  };
  return {
    row: 'lag',
    title: 'from commit to visible to all readers, p99 (answered when visible)',
    unit: ' ms',
    ...(await inTurn<Column, number>(bench.scale, [{ column: 'waymark', measure }])),
    goals: [{ most: 5 }],
  };
};

export const measureRebuild = async (bench: BenchServers): Promise<RowResult> => {
  const server = await bench.growing('waymark');
  await grow(server, bench.generator, bench.scale.rebuiltPinpoints);
  const { events, seconds } = await rebuild(server.directory, limits.rebuildMs);
  return {
    row: 'rebuild',
    title: `rebuild of the read models, ${events.toLocaleString('en')} events`,
    unit: '/s',
    samples: { waymark: [events / seconds] },
    goals: [{ least: 100_000 }],
  };
};
