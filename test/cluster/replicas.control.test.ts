import { setTimeout as pause } from 'node:timers/promises';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import type { Cluster } from './setup/cluster.ts';
import { pidOf } from './setup/processes.ts';
import type { Fault } from './setup/trial.ts';
import { itSurvives, killed, useCluster } from './setup/use-cluster.ts';

/** Longer than the consumer group waits for a silent projector. */
const silentMs = 9_000;
const redisAwayMs = 3_000;
/** Longer than a silent relay keeps its lease. */
const leaseMs = 5_000;

const activeRelay = async (cluster: Cluster): Promise<string> =>
  (await cluster.processes()).find(({ name, active }) => name.startsWith('relay') && active === true)?.name ?? 'relay';

describeOn(
  ['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'],
  'A cluster with two replicas of each service, under load,',
  () => {
    const cluster = useCluster(() => ({ WAYMARK_REPLICAS: 'commands=2,relay=2,projector=2,query-gateway=2,auth=2' }));

    /** Pauses a process. When it continues, it still holds its old state and writes, but another process has taken over. */
    const silent = (nameOf: (here: Cluster) => Promise<string>, ms: number): Fault => ({
      strike: async (here) => {
        const pid = await pidOf(here, await nameOf(here));
        process.kill(pid, 'SIGSTOP');
        await pause(ms);
        process.kill(pid, 'SIGCONT');
      },
      refuses: [],
    });

    itSurvives(
      'whose projector is paused for longer than its session lasts: the other one takes over',
      cluster,
      silent(async () => 'projector', silentMs),
    );
    itSurvives('whose active relay is paused, and continues beside the one that took over', cluster, silent(activeRelay, leaseMs));
    itSurvives('whose relays are both active, because Redis is unavailable', cluster, {
      strike: async () => {
        await control('kill', 'redis');
        await pause(redisAwayMs);
        await control('start', 'redis');
      },
      refuses: [],
    });
    itSurvives('one of whose projectors is killed: the other one continues', cluster, killed('projector', []));
    itSurvives('one of whose gateways is killed: the other one continues', cluster, killed('query-gateway', []));
    itSurvives('one of whose command services is killed: the other one continues', cluster, killed('commands', ['writes']));
    itSurvives('one of whose auth services is killed: the other one continues', cluster, killed('auth', ['tokens']));
  },
);
