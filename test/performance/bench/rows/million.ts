import type { Endpoint } from '../client.ts';
import type { RowResult } from '../figure.ts';
import { grow } from '../fill.ts';
import { limits } from '../limits.ts';
import type { Load } from '../load.ts';
import { gets, pages } from '../loads.ts';
import { inTurn } from '../measure.ts';
import type { BenchServers } from '../servers.ts';
import { fullPages } from '../walk.ts';
import { rate } from './throughput.ts';

const slowest = 1 / 1.3;

type LoadOf = (server: Endpoint, ids: readonly number[]) => Load | Promise<Load>;

const compare = async (bench: BenchServers, row: string, title: string, loadOf: LoadOf): Promise<RowResult> => {
  const few = await bench.existing('waymark');
  const many = await bench.growing('waymark');
  const ids = await grow(many, bench.generator, limits.manyPinpoints);
  const turns = await inTurn(bench.scale, [
    rate(bench, 'reference', await loadOf(few, few.ids)),
    rate(bench, 'waymark', await loadOf(many, ids)),
  ]);
  return { row, title, unit: '/s', ...turns, goals: [{ against: 'reference', least: slowest }] };
};

export const measureMillionGet = (bench: BenchServers): Promise<RowResult> =>
  compare(bench, 'million-get', 'GET one of 1,000,000 pinpoints', gets);

export const measureMillionPage = (bench: BenchServers): Promise<RowResult> =>
  compare(bench, 'million-page', 'page of 20 of 1,000,000 pinpoints, at any depth', async (server) =>
    pages(server, await fullPages(server)),
  );
