import { median, quantile } from '../../statistics.ts';

/** What creates cost: the processor time of one, in seconds, by process, and the rate at which they ran. */
export type Costs = { readonly perSecond: number; readonly processes: Readonly<Record<string, number>> };

/** The processes whose time is compared with the goal. */
const ours = ['commands', 'relay', 'projector', 'query-gateway', 'auth'];
const beside = ['operator', 'edge', 'eventstore', 'kafka', 'mongodb', 'redis'];

const goalShare = 0.85;

const sumOf = (names: readonly string[], { processes }: Costs): number => names.reduce((sum, name) => sum + (processes[name] ?? 0), 0);

/** Returns a table of the medians, with the quartiles of the ratios of all rounds. A round has one value of each list. */
export const table = (before: readonly Costs[], after: readonly Costs[], again: readonly Costs[]): string => {
  const row = (title: string, names: readonly string[]): string => {
    const of = (costs: readonly Costs[]): readonly number[] => costs.map((one) => sumOf(names, one));
    const [old, now, repeated] = [of(before), of(after), of(again)];
    // The old build runs before and after the new one.
    const ratios = now.map((one, round) => one / (((old[round] ?? 0) + (repeated[round] ?? 0)) / 2));
    const noise = repeated.map((one, round) => one / (old[round] ?? 0));
    return `| ${[title, micros([...old, ...repeated]), micros(now), spread(ratios), spread(noise)].join(' | ')} |`;
  };
  return [
    '| processor time per create | before | after | after / before (quartiles) | before, again / before |',
    '|---|---|---|---|---|',
    ...[...ours, ...beside].map((name) => row(name, [name])),
    row(`**${ours.join(', ')}** (goal: ${percent(goalShare)})`, ours),
    `\nCreates per second: ${rate([...before, ...again])} before, ${rate(after)} after.`,
  ].join('\n');
};

const rate = (costs: readonly Costs[]): string => median(costs.map(({ perSecond }) => perSecond)).toFixed(0);
const micros = (seconds: readonly number[]): string => `${(median(seconds) * 1e6).toFixed(1)} µs`;
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const spread = (ratios: readonly number[]): string =>
  `${percent(median(ratios))} (${percent(quantile(ratios, 0.25))} to ${percent(quantile(ratios, 0.75))})`;
