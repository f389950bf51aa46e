import type { Column, Figure, Goal, Samples } from '../figure.ts';
import type { Load } from '../load.ts';
import { gets, pages, updates } from '../loads.ts';
import { type Contestant, inTurn, runLoad } from '../measure.ts';
import type { BenchServers, Full } from '../servers.ts';
import { fullPages } from '../walk.ts';

/** Measures requests per second. */
export const rate = (world: BenchServers, column: Column, load: Load): Contestant => ({
  column,
  measure: async (seconds) => (await runLoad(world.generator, load, seconds)).perSecond,
});

type LoadOf = (server: Full) => Load | Promise<Load>;

const onExisting = async (world: BenchServers, loadOf: LoadOf): Promise<readonly Contestant[]> => {
  const contestants: Contestant[] = [];
  for (const subject of world.subjects) contestants.push(rate(world, subject, await loadOf(await world.existing(subject))));
  return contestants;
};

const figure = (row: string, title: string, samples: Samples, goals: readonly Goal[]): Figure => ({
  row,
  title,
  unit: '/s',
  samples,
  goals,
});

export const measureGet = async (world: BenchServers): Promise<Figure> => {
  const bare = rate(world, 'bare', gets(await world.bare(), [1]));
  const samples = await inTurn(world.scale, [bare, ...(await onExisting(world, (server) => gets(server, server.ids)))]);
  return figure('get', 'GET one', samples, [
    { against: 'crud', least: 1.6 },
    { against: 'bare', least: 0.6 },
  ]);
};

export const measurePage = async (world: BenchServers): Promise<Figure> => {
  const samples = await inTurn(world.scale, await onExisting(world, async (server) => pages(server, await fullPages(server))));
  return figure('page', 'page of 20, at any depth', samples, [{ against: 'crud', least: 1.8 }]);
};

export const measureUpdate = async (world: BenchServers): Promise<Figure> => {
  const samples = await inTurn(world.scale, await onExisting(world, (server) => updates(server, server.ids)));
  return figure('update', 'update, 64 connections', samples, [{ against: 'crud', least: 4 }]);
};
