import { type Column, type Judged, judge, middle, type RoundConditions, type RowResult } from './figure.ts';
import { type Machine, machineText, toText } from './machine.ts';

export type Report = {
  readonly at: string;
  readonly machine: Machine;
  readonly generator: string;
  readonly command: string;
  readonly figures: readonly RowResult[];
};

export const toJson = (report: Report): string =>
  JSON.stringify({ ...report, figures: report.figures.map((figure) => ({ ...figure, goals: judge(figure) })) }, null, 2);

export const toMarkdown = (report: Report): string =>
  [
    '| median of the rounds | bare node:http | hand-written, no audit | Waymark | goal | reached |',
    '|---|---|---|---|---|---|',
    ...report.figures.map(toLine),
    '',
    machineText(report),
    ...roundsText(report.figures),
  ].join('\n');

const toLine = (figure: RowResult): string => {
  const goals = judge(figure);
  const cells = [
    figure.title,
    ...(['bare', 'crud', 'waymark'] as const).map((column) => toCell(figure, column)),
    goals.map((goal) => toGoal(figure, goal)).join('<br>'),
    goals.map(toVerdict).join('<br>'),
  ];
  return `| ${cells.join(' | ')} |`;
};

/** Returns the load of other programs during the rounds, and the rounds that were repeated because of it. */
const roundsText = (figures: readonly RowResult[]): readonly string[] => {
  const rows = figures.flatMap(({ row, rounds = [] }) => {
    const counted = rounds.filter(({ repeated }) => !repeated);
    const most = (of: (round: RoundConditions) => number): string => Math.max(0, ...counted.map(of)).toFixed(2);
    const repeats = rounds.length - counted.length;
    const note = repeats === 0 ? '' : `, ${repeats} repeated`;
    return counted.length === 0 ? [] : [`${row} ${most(({ before }) => before)}/${most(({ during }) => during)}${note}`];
  });
  return rows.length === 0 ? [] : ['', `Cores that other programs kept busy before and during the rounds, at most: ${rows.join('; ')}`];
};

const toCell = (figure: RowResult, column: Column): string => {
  const value = middle(figure.samples, column);
  return value === undefined ? '' : toText(value) + figure.unit;
};

const names: Readonly<Record<Column, string>> = {
  bare: 'bare node:http',
  crud: 'the hand-written',
  waymark: 'Waymark',
  reference: 'at 10,000',
};

const toGoal = (figure: RowResult, { against, least, most }: Judged): string => {
  const bound = least === undefined ? `≤ ${toText(most ?? 0)}` : `≥ ${toText(least)}`;
  if (against === undefined) return bound + figure.unit;
  const reference = against === 'reference' ? ` (${toCell(figure, against)})` : '';
  return `${bound}× ${names[against]}${reference}`;
};

const toVerdict = ({ against, reached, holds }: Judged): string =>
  `${holds ? '✓' : '✗'} ${toText(reached)}${against === undefined ? '' : '×'}`;
