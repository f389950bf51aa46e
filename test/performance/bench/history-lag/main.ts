#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { scraped } from '../cluster/scrape.ts';
import { fill } from '../fill.ts';
import { pickGenerator } from '../generator.ts';
import { creates, updates } from '../loads.ts';
import { runLoad } from '../measure.ts';
import { startServer } from '../server.ts';
import { launchWaymark, operatorOf, waymarkToken } from '../waymark.ts';

// Measures how far the history of the standalone form is behind the log, in seconds, at the highest rate of writes.
//
//     node test/performance/bench/history-lag/main.ts [--seconds 10]

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } });
const seconds = Number(values.seconds);
const sampleMs = 50;

const folder = mkdtempSync(join(tmpdir(), 'waymark-history-lag-'));
const generator = pickGenerator(folder);
const directory = join(folder, 'waymark');
const server = await startServer({ launch: launchWaymark, token: waymarkToken }, directory);
const ids = await fill(server);
const { url } = operatorOf(directory);

type Sample = { readonly atMs: number; readonly head: number; readonly position: number };

/** Samples the heads of the log and the positions of the history until some work has ended. */
const samplesDuring = async (work: Promise<unknown>): Promise<readonly Sample[]> => {
  const samples: Sample[] = [];
  let isDone = false;
  const watched = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    // The position first: the lag is never reported as less than it is.
    const position = await scraped(url, 'waymark_history_position');
    const head = await scraped(url, 'waymark_log_head');
    samples.push({ atMs: performance.now(), head, position });
    await pause(sampleMs);
  }
  await watched;
  return samples;
};

/** Returns how long ago the log had the position at which the history is, at most. */
const longestLagMs = (samples: readonly Sample[]): number =>
  Math.max(...samples.map(({ atMs, position }) => atMs - (samples.find(({ head }) => head > position)?.atMs ?? atMs)));

const caughtUp = async (): Promise<void> => {
  while ((await scraped(url, 'waymark_history_position')) < (await scraped(url, 'waymark_log_head'))) await pause(sampleMs);
};

process.stdout.write(`${generator.name}; ${seconds} s each\n\n| | writes/s | longest lag of the history |\n|---|---|---|\n`);
const line = (name: string, rate: number, samples: readonly Sample[]): void =>
  void process.stdout.write(`| ${name} | ${rate.toFixed(0)} | ${(longestLagMs(samples) / 1_000).toFixed(2)} s |\n`);

for (const [name, load] of Object.entries({ create: creates(server), update: updates(server, ids) })) {
  await runLoad(generator, load, 2);
  await caughtUp();
  const highest = runLoad(generator, load, seconds);
  const samples = await samplesDuring(highest);
  const { perSecond } = await highest;
  line(name, perSecond, samples);
  await caughtUp();
}
await server.stop();
rmSync(folder, { recursive: true, force: true });
