import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../bench/client.ts';
import type { Process } from '../bench/cluster/installation.ts';
import { soakLimits } from './limits.ts';

/** The memory that a process holds after a garbage collection, and its resident memory. */
export type Sample = { readonly atMs: number; readonly heldBytes: number; readonly residentBytes: number };

export type Samples = ReadonlyMap<string, readonly Sample[]>;

export type Sampler = {
  /** Returns all samples, by name of the process. The samples of a restarted process follow those before the restart. */
  readonly samples: () => Samples;
  /** Takes one more sample of each process now. */
  readonly takeSample: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Samples processes repeatedly. */
export const sampling = (processes: readonly Process[]): Sampler => {
  const taken = new Map<string, Sample[]>(processes.map(({ name }) => [name, []]));
  const stopping = new AbortController();
  const takeSample = async (): Promise<void> => {
    for (const { pid } of processes) collect(pid);
    await pause(soakLimits.collectMs);
    await Promise.all(
      processes.map(async (one) =>
        taken.get(one.name)?.push(
          ...(await sampleOf(one).then(
            (sample) => [sample],
            () => [],
          )),
        ),
      ),
    );
  };
  const sampleRepeatedly = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await takeSample();
      await pause(soakLimits.sampleEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const samplingLoop = sampleRepeatedly();
  return {
    samples: () => new Map([...taken].map(([name, samples]) => [name, [...samples]])),
    takeSample,
    stop: async () => {
      stopping.abort();
      await samplingLoop;
    },
  };
};

/** Asks a process to collect its garbage. A process that has ended is ignored. */
const collect = (pid: number): void => {
  try {
    process.kill(pid, 'SIGUSR2');
  } catch {}
};

const sampleOf = async ({ operator }: Process): Promise<Sample> => {
  const { body } = await ask(`${operator}/metrics`);
  const bytes = (metric: string): number => {
    const line = body.split('\n').find((one) => one.startsWith(`${metric} `));
    if (line === undefined) throw new Error(`${operator}/metrics does not report ${metric}`);
    return Number(line.slice(metric.length));
  };
  return {
    atMs: performance.now(),
    heldBytes: bytes('nodejs_heap_size_used_bytes') + bytes('nodejs_external_memory_bytes'),
    residentBytes: bytes('process_resident_memory_bytes'),
  };
};
