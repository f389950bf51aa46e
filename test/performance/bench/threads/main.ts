#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fill } from '../fill.ts';
import { pickGenerator } from '../generator.ts';
import { quick } from '../limits.ts';
import type { Load } from '../load.ts';
import { creates, gets } from '../loads.ts';
import { inTurn, runLoad } from '../measure.ts';
import { startServer } from '../server.ts';
import { median } from '../statistics.ts';
import { launchWaymark, waymarkToken } from '../waymark.ts';

// Measures what HTTP threads do for the rates of single reads and of creates, by the number of connections. Servers with different numbers of
// threads take turns. The load generator needs cores of its own.
//
//     node test/performance/bench/threads/main.ts [--threads 0,1] [--connections 8,64,512] [--rounds 5] [--seconds 2]

const { values } = parseArgs({
  options: {
    threads: { type: 'string', default: '0,1' },
    connections: { type: 'string', default: '8,64,512' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
});
const threads = values.threads.split(',');
const scale = { ...quick, rounds: Number(values.rounds), roundSeconds: Number(values.seconds) };

const folder = mkdtempSync(join(tmpdir(), 'waymark-threads-'));
const generator = pickGenerator(folder);

const startWith = async (count: string) => {
  const launch = (directory: string, port: number) => launchWaymark(directory, port, { WAYMARK_HTTP_THREADS: count });
  const server = await startServer({ launch, token: waymarkToken }, join(folder, count));
  return { count, server, ids: await fill(server) };
};

const servers: Awaited<ReturnType<typeof startWith>>[] = [];
for (const count of threads) servers.push(await startWith(count));

const loads: Readonly<Record<string, (of: (typeof servers)[number]) => Load>> = {
  'GET one': ({ server, ids }) => gets(server, ids),
  create: ({ server }) => creates(server),
};

process.stdout.write(`${generator.name}; median of ${scale.rounds} rounds of ${scale.roundSeconds} s, requests per second\n\n`);
process.stdout.write(
  `| | connections | ${threads.map((count) => `${count} HTTP threads`).join(' | ')} |\n|---|---|${threads.map(() => '---|').join('')}\n`,
);
for (const [name, load] of Object.entries(loads)) {
  for (const connections of values.connections.split(',')) {
    const contestants = servers.map((server) => ({
      column: server.count,
      measure: async (seconds: number) =>
        (await runLoad(generator, { ...load(server), connections: Number(connections) }, seconds)).perSecond,
    }));
    const { samples } = await inTurn(scale, contestants);
    const rates = threads.map((count) => median(samples[count] ?? []).toFixed(0));
    process.stdout.write(`| ${[name, connections, ...rates].join(' | ')} |\n`);
  }
}
for (const { server } of servers) await server.stop();
rmSync(folder, { recursive: true, force: true });
