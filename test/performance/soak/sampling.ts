import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../bench/client.ts';
import type { Process } from '../bench/cluster/installation.ts';
import { soakLimits } from './limits.ts';

/** What a process holds once its garbage is gone, and what it takes of the machine. */
export type Sample = { readonly atMs: number; readonly heldBytes: number; readonly residentBytes: number };

export type Samples = ReadonlyMap<string, readonly Sample[]>;

export type Sampler = {
  /** All that was seen, by name of the process; one that was started anew begins anew. */
  readonly samples: () => Samples;
  /** One more of each now. */
  readonly look: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Looks at processes again and again. */
export const sampling = (processes: readonly Process[]): Sampler => {
  const taken = new Map<string, Sample[]>(processes.map(({ name }) => [name, []]));
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
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
  const goOn = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await look();
      await pause(soakLimits.sampleEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const going = goOn();
  return {
    samples: () => new Map([...taken].map(([name, samples]) => [name, [...samples]])),
    look,
    stop: async () => {
      stopping.abort();
      await going;
    },
  };
};

/** One that has ended and was started again collects at the next look. */
const collect = (pid: number): void => {
  try {
    process.kill(pid, 'SIGUSR2');
  } catch {}
};

const sampleOf = async ({ operator }: Process): Promise<Sample> => {
  const { body } = await ask(`${operator}/metrics`);
  const bytes = (metric: string): number => {
    const line = body.split('\n').find((one) => one.startsWith(`${metric} `));
    if (line === undefined) throw new Error(`${operator}/metrics does not tell ${metric}`);
    return Number(line.slice(metric.length));
  };
  return {
    atMs: performance.now(),
    heldBytes: bytes('nodejs_heap_size_used_bytes') + bytes('nodejs_external_memory_bytes'),
    residentBytes: bytes('process_resident_memory_bytes'),
  };
};
