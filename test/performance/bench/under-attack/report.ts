import { quantile } from '../statistics.ts';
import type { Sample, Samples } from './client.ts';

export type Row = {
  readonly attack: string;
  readonly alone: Samples;
  readonly attacked: Samples;
  /** The peak resident memory of the server, in MiB. */
  readonly residentMb: number;
};

/** The time limit for a request during an attack, in milliseconds, on two cores. */
export const withinMs = 500;

const served = (expected: number, { status, retryAfter }: Sample): boolean => status === expected || (status === 503 && retryAfter);

/** Describes each result that misses the goal. */
export const faultsOf = ({ attacked, residentMb }: Row, memoryMb: number): readonly string[] => {
  const slow = [...attacked.get, ...attacked.create].filter(({ ms }) => ms > withinMs).length;
  const wrong = [...attacked.get.filter((answer) => !served(200, answer)), ...attacked.create.filter((answer) => !served(201, answer))];
  const statuses = [...new Set(wrong.map(({ status }) => (status === 0 ? 'no answer' : String(status))))];
  return [
    ...(slow === 0 ? [] : [`${slow} took over ${withinMs} ms`]),
    ...(wrong.length === 0 ? [] : [`${wrong.length} were answered ${statuses.join(', ')}`]),
    ...(residentMb < memoryMb ? [] : ['memory']),
  ];
};

const times = (samples: readonly Sample[]): string => {
  const all = samples.map(({ ms }) => ms);
  return [quantile(all, 0.5), quantile(all, 0.95), Math.max(...all)].map((ms) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0))).join(' / ');
};

const refusals = ({ get, create }: Samples): number => [...get, ...create].filter(({ status }) => status === 503).length;

export const lineOf = (row: Row, memoryMb: number): string => {
  const { attack, alone, attacked, residentMb } = row;
  const faults = faultsOf(row, memoryMb);
  const cells = [
    attack,
    ...[alone.get, attacked.get, alone.create, attacked.create].map(times),
    `${refusals(attacked)} of ${attacked.get.length + attacked.create.length}`,
    `${residentMb.toFixed(0)} MiB`,
    faults.length === 0 ? '✓' : `✗ ${faults.join(', ')}`,
  ];
  return `| ${cells.join(' | ')} |`;
};

export const heading = [
  '| p50 / p95 / max in ms | GET one, alone | GET one, attacked | create, alone | create, attacked | 503 with Retry-After | peak resident memory | goal |',
  '|---|---|---|---|---|---|---|---|',
].join('\n');
