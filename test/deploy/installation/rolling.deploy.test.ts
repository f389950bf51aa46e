import { setTimeout as pause } from 'node:timers/promises';
import { itSurvives } from '../../cluster/setup/use-cluster.ts';
import { chart } from '../helm.ts';
import {
  change,
  deletePod,
  describeOnInstallation,
  fillTmp,
  installation,
  podsOfInstallation,
  refusedInChanges,
  underLoad,
  untilAvailable,
  useTwoReplicas,
  workloads,
} from './installation.ts';

const upgrade = (): Promise<void> => change('upgrade', chart, '--reuse-values', '--set', 'image.tag=next');
const rollback = (): Promise<void> => change('rollback');
const deletionsMs = process.env['WAYMARK_SOAK'] ? 120_000 : 30_000;
const betweenDeletionsMs = 3_000;

describeOnInstallation('A cluster on Kubernetes, under load, loses no request', () => {
  useTwoReplicas();

  itSurvives(
    'while it is upgraded to another version of the projections',
    installation,
    underLoad({
      strike: async (_, time) => {
        if (time > 0) await rollback();
        await upgrade();
      },
      refuses: refusedInChanges,
      twoVersions: true,
    }),
  );

  itSurvives(
    'while the upgrade is rolled back',
    installation,
    underLoad({
      strike: async (_, time) => {
        if (time > 0) await upgrade();
        await rollback();
      },
      refuses: refusedInChanges,
      twoVersions: true,
    }),
  );

  itSurvives(
    'while pods are deleted at random, and the /tmp of each edge is full',
    installation,
    underLoad({
      strike: async () => {
        for (const pod of await podsOfInstallation()) if (pod.component === 'edge') await fillTmp(pod);
        const endMs = performance.now() + deletionsMs;
        while (performance.now() < endMs) {
          // The last pod that serves stays, as a PodDisruptionBudget has it.
          const whole = new Set((await workloads()).filter(({ wanted, available }) => available >= wanted).map(({ name }) => name));
          const candidates = (await podsOfInstallation()).filter(({ component }) => whole.has(component));
          const pod = candidates[Math.floor(Math.random() * candidates.length)];
          if (pod) await deletePod(pod);
          await pause(betweenDeletionsMs);
        }
        await untilAvailable();
      },
      refuses: refusedInChanges,
    }),
  );
});
