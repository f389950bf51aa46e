import { createRegistry } from '@waymark/access/registry.ts';
import { factsOf } from '@waymark/broker/broker.ts';
import { openClusterContext } from '@waymark/cluster-runtime/cluster-context.ts';
import { media as openMedia, records } from '@waymark/cluster-runtime/connections.ts';
import { engineStates } from '@waymark/cluster-runtime/health-check.ts';
import { runProcess } from '@waymark/cluster-runtime/run.ts';
import { closableOrders } from '@waymark/cluster-runtime/write-gate.ts';
import { createCircuitBreaker } from '@waymark/event-log/circuit-breaker.ts';
import { createImporter } from '@waymark/operations/import/import.ts';
import { importRoutes } from '@waymark/operations/import/routes.ts';
import { applicationRoutes } from '@waymark/operations/operator-routes.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { adoptRoute, refusedUntilAccepted } from './adopt.ts';
import { clusterMissing, clusterRoutes, clusterWarnings } from './cluster-operations.ts';
import { housekeeping } from './housekeeping.ts';
import { peersOf } from './processes.ts';
import { operatorSettings } from './settings.ts';

/** Runs the operator service, which serves the operations on a cluster as a whole. */
await runProcess(
  {
    name: 'operator',
    settings: operatorSettings,
    start: async (context) => {
      const { settings, stopped } = context;
      const clusterContext = await openClusterContext(context, {
        waitMs: settings.WAYMARK_READ_WAIT_MS,
        readsOnly: false,
        takesWrites: true,
        rateLimits: 'off',
        adopts: true,
      });
      const media = await openMedia(context);
      const copies = records(context);
      const [token = ''] = splitList(settings.WAYMARK_OPS_TOKEN);
      const engines = () => engineStates(Object.values(clusterContext.engines));
      const api = settings.WAYMARK_PUBLIC_URL;
      const cluster = {
        log: clusterContext.log,
        memoryBytes: memoryBytesOf(settings),
        state: createCircuitBreaker(clusterContext.log, { logger: context.logger }).state,
        incarnation: clusterContext.incarnation,
        renewIncarnation: clusterContext.renewIncarnation,
        knownFacts: async () => {
          const { installation } = await clusterContext.log.state();
          // Each store is read separately: one that does not respond contributes no facts.
          const sent = copies.last(installation).then(factsOf, () => []);
          return [...((await clusterContext.facts?.all()) ?? []), ...(await sent)];
        },
        writes: clusterContext.writes,
        readSide: clusterContext.readSide,
        media,
        copies: {
          drop: async (partition: number, through: number) =>
            copies.drop(partition, through, (await clusterContext.log.state()).installation),
        },
        peers: peersOf(settings.WAYMARK_SERVICES),
        token,
        api,
        engines,
        ownFailures: () => [clusterContext.keys.refused() ?? []].flat(),
        stopped,
      };
      const stopHousekeeping = housekeeping({ log: clusterContext.log, truncate: clusterContext.truncate }, context.logger);
      return {
        notReady: () => clusterMissing(cluster),
        warnings: () => clusterWarnings(cluster),
        stats: () => ({ engines: engines() }),
        operations: [
          adoptRoute(clusterContext.keys, { log: clusterContext.log, topic: copies, readSide: clusterContext.readSide }),
          ...refusedUntilAccepted(clusterContext.keys, [
            ...closableOrders(
              clusterContext.writes,
              applicationRoutes(createRegistry({ ...clusterContext, log: clusterContext.writes.gated(clusterContext.log) })),
            ),
            ...clusterRoutes(cluster),
            ...importRoutes(createImporter({ log: clusterContext.log, media })),
          ]),
        ],
        close: async () => {
          stopHousekeeping();
          await Promise.allSettled([clusterContext.close(), media.close(), copies.close()]);
        },
      };
    },
  },
  process.env,
);
