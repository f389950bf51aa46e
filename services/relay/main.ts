import { eventStore, records, redis, signerOf } from '@waymark/cluster-runtime/connections.ts';
import { createHealthCheck, engineStates } from '@waymark/cluster-runtime/health-check.ts';
import { awaitIdentity } from '@waymark/cluster-runtime/identity.ts';
import { installationFacts, relayLease } from '@waymark/cluster-runtime/installation-redis.ts';
import { addKafkaMetrics } from '@waymark/cluster-runtime/kafka-metrics.ts';
import { runProcess } from '@waymark/cluster-runtime/run.ts';
import { watchForStall } from '@waymark/cluster-runtime/stall-watch.ts';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { createFactsKeeper } from '@waymark/event-log/facts/keeper.ts';
import { createRelay } from './relay.ts';
import { figuresResponse } from './responses.ts';
import { relaySettings } from './settings.ts';

/** How often Kafka is checked. Each check opens a connection. */
const kafkaEveryMs = 5_000;

/** Relays events from EventStoreDB to Kafka. One relay is active; others stand by. */
await runProcess(
  {
    name: 'relay',
    settings: relaySettings,
    start: async (context) => {
      const { settings, logger } = context;
      const log = eventStore(context);
      const { installation } = await awaitIdentity(context, log);
      const target = records(context);
      addKafkaMetrics(context.registry, target.counts);
      const cache = redis(context);
      const shared = { redis: cache, prefix: settings.WAYMARK_REDIS_PREFIX, installation };
      const lease = relayLease(shared);
      const store = installationFacts(shared);
      const facts = createFactsKeeper({ store, name: 'Redis', log: log.known, signer: signerOf(context) });
      const engines = [
        createHealthCheck('Event store', () => log.state()),
        createHealthCheck('Redis', () => cache.ping()),
        createHealthCheck('Kafka', () => target.ensure(), kafkaEveryMs),
      ];
      const running = createRelay({ log, records: target, lease, facts, partitions: partitionsOfCluster, logger });
      const unwatch = watchForStall({ engines, works: running.works, fatal: context.fatal });
      return {
        notReady: running.notReady,
        warnings: target.warnings,
        stats: () => ({ engines: engineStates(engines), ...figuresResponse(running.stats()) }),
        metrics: running.metrics,
        close: async () => {
          unwatch();
          await running.close();
          for (const { close } of engines) close();
          await lease.close();
          await Promise.allSettled([target.close(), log.close()]);
          cache.disconnect();
        },
      };
    },
  },
  process.env,
);
