import { describeOn } from '@waymark/test-engines/test-engines.ts';
import type { Fault } from './setup/trial.ts';
import { until } from './setup/until.ts';
import { itSurvives, useCluster } from './setup/use-cluster.ts';

const newMasterWithinMs = 300_000;
const all = ['reads', 'writes', 'tokens'] as const;

describeOn(
  ['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'],
  'A cluster under load, when this part of its edge is killed:',
  () => {
    const cluster = useCluster();
    /** Waits for a new master. Workers that run on without their old master then no longer hold the port. */
    const masterKilled: Fault = {
      strike: async ({ edge }) => {
        const { master } = edge();
        process.kill(master, 'SIGKILL');
        await until(
          'a new master has started, with workers',
          newMasterWithinMs,
          () => edge().master !== master && edge().workers.length > 0,
        );
      },
      refuses: all,
      cuts: true,
    };
    const killed = (whom: (edge: { readonly master: number; readonly workers: readonly number[] }) => readonly number[]): Fault => ({
      strike: async ({ edge }) => {
        for (const pid of whom(edge())) process.kill(pid, 'SIGKILL');
      },
      refuses: all,
      cuts: true,
    });

    itSurvives(
      'a worker: the others continue, and a new one starts',
      cluster,
      killed(({ workers }) => workers.slice(0, 1)),
    );
    itSurvives(
      'all processes at once: the edge recovers',
      cluster,
      killed(({ master, workers }) => [master, ...workers]),
    );
    itSurvives('the master: the processes that it left do not prevent a new start', cluster, masterKilled);
  },
);
