import type { RowResult } from '../figure.ts';
import { limits } from '../limits.ts';
import type { Outcome } from '../load.ts';
import { creates } from '../loads.ts';
import { type Contestant, inTurn, runLoad } from '../measure.ts';
import type { Server } from '../server.ts';
import type { BenchServers, Tested } from '../servers.ts';
import { type Walk, walk, walkOn } from '../walk.ts';

type Choice = { readonly connections: number; readonly figure: (outcome: Outcome) => number };

/** Returns a contestant that counts, at the end of each round, the pinpoints that all rounds created. */
const contestant = async (bench: BenchServers, subject: Tested, { connections, figure }: Choice): Promise<Contestant> => {
  const server = await bench.growing(subject);
  const load = { ...creates(server), connections };
  let walked: Walk = await walk(server);
  let [made, acknowledged, cutOff] = [0, 0, limits.connections];
  const measure = async (seconds: number): Promise<number> => {
    const outcome = await runLoad(bench.generator, load, seconds);
    walked = await walkOn(server, walked);
    made += walked.ids.length;
    acknowledged += outcome.requests + limits.probes;
    cutOff += connections;
    assertCount(server, made, acknowledged, cutOff);
    return figure(outcome);
  };
  return { column: subject, measure };
};

/** Checks that every acknowledged pinpoint exists, and no others except those that the end of this load or of an earlier one cut off before
 * the response. */
const assertCount = (server: Server, made: number, acknowledged: number, cutOff: number): void => {
  if (made < acknowledged || made > acknowledged + cutOff)
    throw new Error(`${server.base}: ${acknowledged} creates were acknowledged, ${made} were found`);
};

const measure = async (bench: BenchServers, choice: Choice) =>
  inTurn(bench.scale, await Promise.all(bench.subjects.map((subject) => contestant(bench, subject, choice))));

export const measureCreate = async (bench: BenchServers): Promise<RowResult> => ({
  row: 'create',
  title: 'create, 64 connections',
  unit: '/s',
  ...(await measure(bench, { connections: limits.connections, figure: ({ perSecond }) => perSecond })),
  goals: [{ against: 'crud', least: 5 }],
});

export const measureAlone = async (bench: BenchServers): Promise<RowResult> => ({
  row: 'alone',
  title: 'one create alone, p50',
  unit: ' ms',
  ...(await measure(bench, { connections: 1, figure: ({ p50Ms }) => p50Ms })),
  goals: [{ against: 'crud', most: 1.5 }],
});
