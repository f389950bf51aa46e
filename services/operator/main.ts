import { createRegistry } from '@waymark/access/registry.ts';
import { factsOf } from '@waymark/broker/broker.ts';
import { evidenceSource, keysOnceStarted } from '@waymark/checkpoints/verification/evidence.ts';
import { baseOf } from '@waymark/cluster-runtime/api.ts';
import { type ClusterContext, openClusterContext } from '@waymark/cluster-runtime/cluster-context.ts';
import { caOf, media as openMedia, records } from '@waymark/cluster-runtime/connections.ts';
import { engineStates } from '@waymark/cluster-runtime/health-check.ts';
import { openHistoryReads } from '@waymark/cluster-runtime/history-reads.ts';
import { type Context, runProcess } from '@waymark/cluster-runtime/run.ts';
import { createCircuitBreaker } from '@waymark/event-log/circuit-breaker.ts';
import { storedRequestIds } from '@waymark/http/request-id-hash.ts';
import { applicationRoutes } from '@waymark/operations/application-routes.ts';
import { historyRoutes } from '@waymark/operations/history-routes.ts';
import { housekeeping } from '@waymark/operations/housekeeping.ts';
import { createImporter } from '@waymark/operations/import/import.ts';
import { importRoutes } from '@waymark/operations/import/routes.ts';
import type { RenewOptions } from '@waymark/operations/renew.ts';
import { closableOrders } from '@waymark/operations/write-gate.ts';
import type { ApiSettings, MongoSettings, RequestIdSettings } from '@waymark/runtime/common-settings.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { adoptRoute, refusedUntilAccepted } from './adopt.ts';
import { clusterMissing, clusterRoutes, clusterWarnings } from './cluster-operations.ts';
import { dropAll } from './drop-all.ts';
import { createLeasedOperations } from './operation-lease.ts';
import { figuresOf, peersOf, verifierKeysOf } from './processes.ts';
import { operatorSettings } from './settings.ts';
import { removeAbandoned } from './verification-files.ts';

/** How long a question about the history waits for what was acknowledged before it, and how many wait at once. */
const historyLimits = { waitMs: 5_000, waitersMax: 16 };

const knownFacts = async ({ log, facts }: ClusterContext, copies: ReturnType<typeof records>): ReturnType<RenewOptions['knownFacts']> => {
  const { installation } = await log.state();
  // Each store is read separately: one that does not respond contributes no facts.
  const sent = copies.last(installation).then(factsOf, () => []);
  return [...((await facts?.all()) ?? []), ...(await sent)];
};

/** Returns the keys that the settings name, or else those that the notary reports. */
const trustedKeys =
  (settings: Readonly<Record<'WAYMARK_NOTARY_PUBLIC_KEY' | 'WAYMARK_SERVICES', string>>, token: string) =>
  async (): Promise<readonly string[]> => {
    const named = splitList(settings.WAYMARK_NOTARY_PUBLIC_KEY);
    const peers = peersOf(settings.WAYMARK_SERVICES);
    return named.length > 0 ? named : keysOnceStarted(async () => verifierKeysOf(await figuresOf(peers, token)));
  };

/** Returns how the history is asked and answered. */
const historyFormat = (settings: Pick<ApiSettings & RequestIdSettings, 'WAYMARK_PUBLIC_URL' | 'WAYMARK_REQUEST_ID_KEY'>) => ({
  storedRequestIds: (text: string) => storedRequestIds(splitList(settings.WAYMARK_REQUEST_ID_KEY), text),
  base: baseOf({ settings }),
});

const leasing = (
  { settings, stopped, logger }: Context<MongoSettings>,
  { log, writes }: ClusterContext,
): Parameters<typeof createLeasedOperations>[0] => ({
  ...{ log, stopped, logger },
  database: settings.WAYMARK_MONGODB_DATABASE,
  rolledBack: writes.rolledBack,
});

/** Runs the operator service, which serves the operations on a cluster as a whole. */
await runProcess(
  {
    name: 'operator',
    settings: operatorSettings,
    operatorTokens: ({ WAYMARK_OPS_TOKEN }) => splitList(WAYMARK_OPS_TOKEN),
    start: async (context) => {
      const { settings, stopped } = context;
      removeAbandoned(context.logger);
      const cluster = await openClusterContext(context, {
        waitMs: settings.WAYMARK_READ_WAIT_MS,
        readsOnly: false,
        takesWrites: true,
        rateLimits: 'off',
        adopts: true,
      });
      const media = await openMedia(context);
      const copies = records(context);
      const past = openHistoryReads(context, cluster, historyLimits);
      const [token = ''] = splitList(settings.WAYMARK_STATUS_TOKEN);
      const engines = () => engineStates(Object.values(cluster.engines));
      const options = {
        log: cluster.log,
        memoryBytes: memoryBytesOf(settings),
        state: createCircuitBreaker(cluster.log, { logger: context.logger }).state,
        incarnation: cluster.incarnation,
        renewIncarnation: cluster.renewIncarnation,
        knownFacts: () => knownFacts(cluster, copies),
        writes: cluster.writes,
        readSide: cluster.readSide,
        media,
        checkpoints: evidenceSource(settings.WAYMARK_CHECKPOINTS_TO, trustedKeys(settings, token), caOf(settings)),
        history: past.history,
        copies: {
          drop: async (partition: number, through: number) => copies.drop(partition, through, (await cluster.log.state()).installation),
        },
        peers: peersOf(settings.WAYMARK_SERVICES),
        token,
        api: settings.WAYMARK_PUBLIC_URL,
        engines,
        operations: createLeasedOperations(leasing(context, cluster)),
        ownFailures: () => [cluster.keys.refused() ?? []].flat(),
        stopped,
      };
      const stopHousekeeping = housekeeping((expired) => dropAll(cluster, settings.WAYMARK_REFUSALS_DAYS, expired), context.logger);
      return {
        notReady: () => clusterMissing(options),
        // Its operations repair a cluster that is not ready.
        notServing: () => [],
        warnings: () => clusterWarnings(options),
        stats: () => ({ engines: engines() }),
        operations: [
          adoptRoute(cluster.keys, { log: cluster.log, topic: copies, readSide: cluster.readSide, history: past.history }),
          ...historyRoutes({ ask: past.ask, ...historyFormat(settings) }),
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
