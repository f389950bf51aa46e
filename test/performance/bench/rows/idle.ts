import { setTimeout as delay } from 'node:timers/promises';
import type { RowResult, Samples } from '../figure.ts';
import { limits } from '../limits.ts';
import { residentBytes } from '../process.ts';
import { type Restarted, restart } from '../server.ts';
import { type BenchServers, programOf } from '../servers.ts';

const megabyte = 1_000_000;

/** Starts each server in turn on its existing directory, with nothing else running. */
const inFreshProcesses = async (bench: BenchServers, times: number, look: (started: Restarted) => number | Promise<number>) => {
  const servers = await Promise.all(bench.subjects.map(bench.existing));
  await bench.stop();
  const samples: Record<string, number[]> = {};
  for (let time = 0; time < times; time += 1)
    for (const [index, subject] of bench.subjects.entries()) {
      const server = servers[index];
      if (server === undefined) continue;
      const started = await restart(programOf(subject), server);
      samples[subject] = [...(samples[subject] ?? []), await look(started)];
      await started.stop();
    }
  return samples as Samples;
};

export const measureStart = async (bench: BenchServers): Promise<RowResult> => ({
  row: 'start',
  title: 'from the start of the process to its first 200',
  unit: ' s',
  samples: await inFreshProcesses(bench, bench.scale.starts, ({ seconds }) => seconds),
  goals: [{ most: 0.5 }],
});

export const measureMemory = async (bench: BenchServers): Promise<RowResult> => ({
  row: 'memory',
  title: `memory idle (resident, ${limits.idleSeconds} s after the start)`,
  unit: ' MB',
  samples: await inFreshProcesses(bench, 1, async ({ pid }) => {
    await delay(limits.idleSeconds * 1_000);
    return residentBytes(pid) / megabyte;
  }),
  goals: [{ most: 110 }],
});
