import { createRegistry } from '@waymark/access/registry.ts';
import { factsOf } from '@waymark/broker/broker.ts';
import { openClusterContext } from '@waymark/cluster-runtime/cluster-context.ts';
import { history, media as openMedia, records } from '@waymark/cluster-runtime/connections.ts';
import { engineStates } from '@waymark/cluster-runtime/health-check.ts';
import { runProcess } from '@waymark/cluster-runtime/run.ts';
import { createCircuitBreaker } from '@waymark/event-log/circuit-breaker.ts';
import { applicationRoutes } from '@waymark/operations/application-routes.ts';
import { housekeeping } from '@waymark/operations/housekeeping.ts';
import { createImporter } from '@waymark/operations/import/import.ts';
import { importRoutes } from '@waymark/operations/import/routes.ts';
import { closableOrders } from '@waymark/operations/write-gate.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { adoptRoute, refusedUntilAccepted } from './adopt.ts';
import { clusterMissing, clusterRoutes, clusterWarnings } from './cluster-operations.ts';
import { dropAll } from './drop-all.ts';
import { peersOf } from './processes.ts';
import { operatorSettings } from './settings.ts';

/** Runs the operator service, which serves the operations on a cluster as a whole. */
await runProcess(
  {
    name: 'operator',
    settings: operatorSettings,
    start: async (context) => {
      const { settings, stopped } = context;
      const cluster = await openClusterContext(context, {
        waitMs: settings.WAYMARK_READ_WAIT_MS,
        readsOnly: false,
        takesWrites: true,
        rateLimits: 'off',
        adopts: true,
      });
      const media = await openMedia(context);
      const copies = records(context);
      const past = history(context, cluster.installation);
      const [token = ''] = splitList(settings.WAYMARK_OPS_TOKEN);
      const engines = () => engineStates(Object.values(cluster.engines));
      const api = settings.WAYMARK_PUBLIC_URL;
      const options = {
        log: cluster.log,
        memoryBytes: memoryBytesOf(settings),
        state: createCircuitBreaker(cluster.log, { logger: context.logger }).state,
        incarnation: cluster.incarnation,
        renewIncarnation: cluster.renewIncarnation,
        knownFacts: async () => {
          const { installation } = await cluster.log.state();
          // Each store is read separately: one that does not respond contributes no facts.
          const sent = copies.last(installation).then(factsOf, () => []);
          return [...((await cluster.facts?.all()) ?? []), ...(await sent)];
        },
        writes: cluster.writes,
        readSide: cluster.readSide,
        media,
        history: past,
        copies: {
          drop: async (partition: number, through: number) => copies.drop(partition, through, (await cluster.log.state()).installation),
        },
        peers: peersOf(settings.WAYMARK_SERVICES),
        token,
        api,
        engines,
        ownFailures: () => [cluster.keys.refused() ?? []].flat(),
        stopped,
      };
      const stopHousekeeping = housekeeping((expired) => dropAll(cluster, settings.WAYMARK_REFUSALS_DAYS, expired), context.logger);
      return {
        notReady: () => clusterMissing(options),
        warnings: () => clusterWarnings(options),
        stats: () => ({ engines: engines() }),
        operations: [
          adoptRoute(cluster.keys, { log: cluster.log, topic: copies, readSide: cluster.readSide, history: past }),
          ...refusedUntilAccepted(cluster.keys, [
            ...closableOrders(cluster.writes, applicationRoutes(createRegistry({ ...cluster, log: cluster.writes.gated(cluster.log) }))),
            ...clusterRoutes(options),
            ...importRoutes(createImporter({ log: cluster.log, media })),
          ]),
        ],
        close: async () => {
          stopHousekeeping();
          await Promise.allSettled([cluster.close(), media.close(), copies.close(), past.close()]);
        },
      };
    },
  },
  process.env,
);
