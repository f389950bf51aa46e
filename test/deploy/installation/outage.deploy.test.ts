import { setTimeout as pause } from 'node:timers/promises';
import { control } from '@waymark/test-engines/control.ts';
import type { ServedCluster } from '../../cluster/setup/cluster.ts';
import type { Fault } from '../../cluster/setup/trial.ts';
import { itSurvives } from '../../cluster/setup/use-cluster.ts';
import { describeOnInstallation, installation, podsOfInstallation, servedAddresses, underLoad, useTwoReplicas } from './installation.ts';

/** Longer than the readiness probes that fail before a pod leaves its Service. */
const awayMs = 45_000;
const lookEveryMs = 5_000;

/** Takes an engine away, and checks that no pod restarts and that none leaves its Service. */
const away = (engine: 'mongodb' | 'eventstore', refuses: Fault['refuses']): Fault<ServedCluster> =>
  underLoad({
    strike: async () => {
      const [pods, addresses] = [await podsOfInstallation(), await servedAddresses()];
      await control('kill', engine);
      try {
        const endMs = performance.now() + awayMs;
        while (performance.now() < endMs) {
          await pause(lookEveryMs);
          expect(await servedAddresses()).toEqual(addresses);
        }
        expect(await podsOfInstallation()).toEqual(pods);
      } finally {
        await control('start', engine);
      }
    },
    refuses,
    refusedShareMax: 1,
  });

describeOnInstallation('A cluster on Kubernetes restarts no pod and takes none out of its Service', () => {
  useTwoReplicas();

  // A write asks MongoDB in vain several times before it goes on. Of many changes of one object, the last may wait too long for their turn.
  itSurvives('while MongoDB is unavailable: reads are refused with 503', installation, away('mongodb', ['reads', 'writes']));

  if (process.env['WAYMARK_SOAK'])
    itSurvives('while the event store is unavailable: writes are refused with 503', installation, away('eventstore', ['writes', 'tokens']));
});
