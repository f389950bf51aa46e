import { pickGenerator } from '../generator.ts';
import { describeMachine } from '../machine.ts';
import { writeIntoBenchmarks } from './benchmarks-document.ts';
import { assertEngines } from './engines.ts';
import type { ClusterRowResult, ScaleResult } from './figure.ts';
import { clusterLimits } from './limits.ts';
import { type MeasuredCluster, openMeasuredCluster } from './measured-cluster.ts';
import { type ClusterOptions, clusterUsage, readClusterOptions } from './options.ts';
import { type ClusterReport, toMarkdown } from './report.ts';
import { clusterRows } from './rows/rows.ts';

/** Measures a cluster (`npm run bench -- cluster`) and prints a table.
 * @returns the report, or undefined if only help was requested */
export const benchCluster = async (directory: string, args: readonly string[]): Promise<ClusterReport | undefined> => {
  const options = readClusterOptions(args);
  if (options.help) {
    console.log(clusterUsage);
    return undefined;
  }
  assertEngines();
  const machine = describeMachine(directory);
  const generator = pickGenerator(directory);
  const measuredCluster = openMeasuredCluster(directory, options.scale, generator);
  const measured = await measureAll(measuredCluster, options).finally(measuredCluster.stop);
  const command = ['npm run bench -- cluster', ...args.filter((arg) => arg !== '--readme')].join(' ');
  const report = { at: new Date().toISOString(), machine, generator: generator.name, command, ...measured };
  const markdown = toMarkdown(report);
  console.log(markdown);
  if (options.readme) writeIntoBenchmarks(markdown);
  if (report.missing.length > 0) process.exitCode = 1;
  return report;
};

type Measured = Pick<ClusterReport, 'figures' | 'scale' | 'missing'>;

/** Measures all rows. A row that fails does not affect the others. */
const measureAll = async (measuredCluster: MeasuredCluster, { rows }: ClusterOptions): Promise<Measured> => {
  const figures: ClusterRowResult[] = [];
  const scale: ScaleResult[] = [];
  const missing: string[] = [];
  const startedMs = performance.now();
  for (const name of rows) {
    const fromMs = performance.now();
    if (fromMs - startedMs > clusterLimits.runMs) {
      missing.push(`${name}: the time limit of the run was reached`);
      continue;
    }
    try {
      const measured = await clusterRows[name]?.(measuredCluster);
      figures.push(...(measured?.figures ?? []));
      scale.push(...(measured?.scale ?? []));
    } catch (error) {
      missing.push(`${name}: ${(error as Error).message.split('\n')[0]}`);
      console.error(error);
    }
    console.error(`${name}: ${Math.round((performance.now() - fromMs) / 1_000)} s`);
  }
  return { figures, scale, missing };
};
