import { type Column, type Judged, judge, middle, type RowResult } from './figure.ts';
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
