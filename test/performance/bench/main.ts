/** `npm run bench` measures Waymark and the baselines in turn, in one run. `npm run bench -- cluster` measures a cluster. Each prints a
 * table, and writes it with every sample to `results/`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchCluster } from './cluster/cluster.ts';
import type { RowResult } from './figure.ts';
import { pickGenerator } from './generator.ts';
import { describeMachine } from './machine.ts';
import { type Options, readOptions, usage } from './options.ts';
import { type Report, toJson, toMarkdown } from './report.ts';
import { rows } from './rows/rows.ts';
import { type BenchServers, openBenchServers } from './servers.ts';

const measureAll = async (servers: BenchServers, names: readonly string[]): Promise<readonly RowResult[]> => {
  const figures: RowResult[] = [];
  for (const name of names) {
    const from = performance.now();
    const figure = await rows[name]?.measure(servers);
    if (figure === undefined) continue;
    figures.push(figure);
    const seconds = Math.round((performance.now() - from) / 1_000);
    console.error(
      `${name} (${seconds} s): ${JSON.stringify(figure.samples, (_key, value) => (typeof value === 'number' ? Math.round(value * 1e3) / 1e3 : value))}`,
    );
  }
  return figures;
};

const run = async (directory: string, options: Options): Promise<Report> => {
  const machine = describeMachine(directory);
  const generator = pickGenerator(directory);
  const servers = openBenchServers(directory, options.scale, generator, options.subjects);
  const figures = await measureAll(servers, options.rows);
  await servers.stop();
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  return { at: new Date().toISOString(), machine, generator: generator.name, command, figures };
};

const save = (at: string, json: string): string => {
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${at.replaceAll(/[:.]/g, '-')}.json`);
  writeFileSync(file, json);
  return file;
};

const main = async (): Promise<void> => {
  const [form, ...rest] = process.argv.slice(2);
  const options = form === 'cluster' ? undefined : readOptions(process.argv.slice(2));
  if (options?.help) return console.log(usage);
  const directory = mkdtempSync(join(tmpdir(), 'waymark-bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  if (options === undefined) {
    const measured = await benchCluster(directory, rest);
    if (measured) console.error(`\nEvery sample: ${save(measured.at, JSON.stringify(measured, null, 2))}`);
    return;
  }
  const report = await run(directory, options);
  console.log(toMarkdown(report));
  console.error(`\nEvery sample: ${save(report.at, toJson(report))}`);
};

// Servers that still run after an error end together with this process.
main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
