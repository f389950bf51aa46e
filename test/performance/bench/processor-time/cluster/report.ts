import { median, quantile } from '../../statistics.ts';

/** What creates cost: the processor time of one, in seconds, by process, and the rate at which they ran. */
export type Costs = { readonly perSecond: number; readonly processes: Readonly<Record<string, number>> };

/** The processes whose time is compared with the goal. */
const ours = ['commands', 'relay', 'projector', 'query-gateway', 'auditor', 'auth'];
const beside = ['operator', 'edge', 'eventstore', 'kafka', 'mongodb', 'redis'];

const goalShare = 0.85;

const sumOf = (names: readonly string[], { processes }: Costs): number => names.reduce((sum, name) => sum + (processes[name] ?? 0), 0);

/** The runs of a round. */
export type Run = 'before' | 'after' | 'before again' | 'after again';

type Samples = Readonly<Partial<Record<Run, readonly Costs[]>>>;

/** Returns a table of the medians, with the quartiles of the ratios of all rounds. */
export const table = (samples: Samples): string => {
  const { before = [], after = [], 'before again': beforeAgain = [], 'after again': afterAgain = [] } = samples;
  const [old, now] = [
    [...before, ...beforeAgain],
    [...after, ...afterAgain],
  ];
  const row = (title: string, names: readonly string[]): string => {
    const of = (costs: Costs | undefined): number => (costs === undefined ? Number.NaN : sumOf(names, costs));
    const ratios = before.map((one, round) => (of(after[round]) + of(afterAgain[round])) / (of(one) + of(beforeAgain[round])));
    const noise = before.map((one, round) => of(beforeAgain[round]) / of(one));
    return `| ${[title, micros(old.map(of)), micros(now.map(of)), spread(ratios), spread(noise)].join(' | ')} |`;
  };
  return [
    '| processor time per create | before | after | after / before (quartiles) | before, again / before |',
    '|---|---|---|---|---|',
    ...[...ours, ...beside].map((name) => row(name, [name])),
    row(`**${ours.join(', ')}** (goal: ${percent(goalShare)})`, ours),
    `\nCreates per second: ${rate(old)} before, ${rate(now)} after.`,
  ].join('\n');
};

const rate = (costs: readonly Costs[]): string => median(costs.map(({ perSecond }) => perSecond)).toFixed(0);
const micros = (seconds: readonly number[]): string => `${(median(seconds) * 1e6).toFixed(1)} µs`;
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const spread = (ratios: readonly number[]): string =>
  `${percent(median(ratios))} (${percent(quantile(ratios, 0.25))} to ${percent(quantile(ratios, 0.75))})`;
