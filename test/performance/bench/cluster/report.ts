import { type Machine, machineText, toText } from '../machine.ts';
import { median } from '../statistics.ts';
import type { ClusterRowResult, ScaleResult } from './figure.ts';
import { usageText } from './usage.ts';

export type ClusterReport = {
  readonly at: string;
  readonly machine: Machine;
  readonly generator: string;
  readonly command: string;
  readonly figures: readonly ClusterRowResult[];
  readonly scale: readonly ScaleResult[];
  /** The rows without a result, and the reasons. */
  readonly missing: readonly string[];
};

export const toMarkdown = (report: ClusterReport): string =>
  [
    '| median of the rounds | standalone | cluster | goal | reached | cores busy, by name |',
    '|---|---|---|---|---|---|',
    ...report.figures.map(toLine),
    '',
    ...scaleTable(report.scale),
    ...report.missing.map((what) => `Not measured: ${what}\n`),
    machineText(report),
  ].join('\n');

const toLine = ({ title, unit, cluster, standalone, goal, usage, note }: ClusterRowResult): string => {
  const ours = median(cluster);
  const { least, most } = goal ?? {};
  const cells = [
    note ? `${title} (${note})` : title,
    standalone ? toText(median(standalone)) + unit : '',
    toText(ours) + unit,
    least === undefined ? (most === undefined ? '' : `≤ ${toText(most)}${unit}`) : `≥ ${toText(least)}${unit}`,
    goal ? (ours >= (least ?? 0) && ours <= (most ?? Number.POSITIVE_INFINITY) ? '✓' : '✗') : '',
    usage ? usageText(usage) : '',
  ];
  return `| ${cells.join(' | ')} |`;
};

const scaleTable = (scale: readonly ScaleResult[]): readonly string[] =>
  scale.length === 0
    ? []
    : [
        '| gateways | projectors | GET one | cores busy | lag p50 | lag p99 | cores busy |',
        '|---|---|---|---|---|---|---|',
        ...scale.map(toScaleLine),
        '',
      ];

const toScaleLine = ({ gateways, projectors, readsPerSecond, readUsage, lagP50Ms, lagP99Ms, lagUsage }: ScaleResult): string => {
  const cells = [
    gateways,
    projectors,
    `${toText(readsPerSecond)}/s`,
    usageText(readUsage),
    `${toText(lagP50Ms)} ms`,
    `${toText(lagP99Ms)} ms`,
    usageText(lagUsage),
  ];
  return `| ${cells.join(' | ')} |`;
};
