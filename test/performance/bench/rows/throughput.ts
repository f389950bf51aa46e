import type { Column, Goal, RowResult } from '../figure.ts';
import type { Load } from '../load.ts';
import { gets, pages, updates } from '../loads.ts';
import { type Contestant, inTurn, runLoad, type Turns } from '../measure.ts';
import type { BenchServers, Full } from '../servers.ts';
import { fullPages } from '../walk.ts';

/** Measures requests per second. */
export const rate = (bench: BenchServers, column: Column, load: Load): Contestant => ({
  column,
  measure: async (seconds) => (await runLoad(bench.generator, load, seconds)).perSecond,
});

type LoadOf = (server: Full) => Load | Promise<Load>;

const onExisting = async (bench: BenchServers, loadOf: LoadOf): Promise<readonly Contestant[]> => {
  const contestants: Contestant[] = [];
  for (const subject of bench.subjects) contestants.push(rate(bench, subject, await loadOf(await bench.existing(subject))));
  return contestants;
};

const figure = (row: string, title: string, turns: Turns<Column, number>, goals: readonly Goal[]): RowResult => ({
  row,
  title,
  unit: '/s',
  ...turns,
  goals,
});

export const measureGet = async (bench: BenchServers): Promise<RowResult> => {
  const bare = rate(bench, 'bare', gets(await bench.bare(), [1]));
  const turns = await inTurn(bench.scale, [bare, ...(await onExisting(bench, (server) => gets(server, server.ids)))]);
  return figure('get', 'GET one', turns, [
    { against: 'crud', least: 1.6 },
    { against: 'bare', least: 0.6 },
  ]);
};

export const measurePage = async (bench: BenchServers): Promise<RowResult> => {
  const turns = await inTurn(bench.scale, await onExisting(bench, async (server) => pages(server, await fullPages(server))));
  return figure('page', 'page of 20, at any depth', turns, [{ against: 'crud', least: 1.8 }]);
};

export const measureUpdate = async (bench: BenchServers): Promise<RowResult> => {
  const turns = await inTurn(bench.scale, await onExisting(bench, (server) => updates(server, server.ids)));
  return figure('update', 'update, 64 connections', turns, [{ against: 'crud', least: 4 }]);
};
