import type { Reached } from '../client.ts';
import type { Figure } from '../figure.ts';
import { grow } from '../fill.ts';
import { limits } from '../limits.ts';
import type { Load } from '../load.ts';
import { gets, pages } from '../loads.ts';
import { inTurn } from '../measure.ts';
import type { BenchServers } from '../servers.ts';
import { fullPages } from '../walk.ts';
import { rate } from './throughput.ts';

const slowest = 1 / 1.3;

type LoadOf = (server: Reached, ids: readonly number[]) => Load | Promise<Load>;

const compare = async (world: BenchServers, row: string, title: string, loadOf: LoadOf): Promise<Figure> => {
  const few = await world.existing('waymark');
  const many = await world.growing('waymark');
  const ids = await grow(many, world.generator, limits.manyPinpoints);
  const samples = await inTurn(world.scale, [
    rate(world, 'reference', await loadOf(few, few.ids)),
    rate(world, 'waymark', await loadOf(many, ids)),
  ]);
  return { row, title, unit: '/s', samples, goals: [{ against: 'reference', least: slowest }] };
};

export const measureMillionGet = (world: BenchServers): Promise<Figure> =>
  compare(world, 'million-get', 'GET one of 1,000,000 pinpoints', gets);

export const measureMillionPage = (world: BenchServers): Promise<Figure> =>
  compare(world, 'million-page', 'page of 20 of 1,000,000 pinpoints, at any depth', async (server) =>
    pages(server, await fullPages(server)),
  );
