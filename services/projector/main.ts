import { eventStore, history, readSide, records, redis, signerOf } from '@waymark/cluster-runtime/connections.ts';
import { createContradictionAlarm } from '@waymark/cluster-runtime/contradictions.ts';
import { createHealthCheck, engineStates } from '@waymark/cluster-runtime/health-check.ts';
import { awaitIdentity } from '@waymark/cluster-runtime/identity.ts';
import { installationAnnouncements } from '@waymark/cluster-runtime/installation-redis.ts';
import { addKafkaMetrics } from '@waymark/cluster-runtime/kafka-metrics.ts';
import { runProcess } from '@waymark/cluster-runtime/run.ts';
import { watchForStall } from '@waymark/cluster-runtime/stall-watch.ts';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { createFactsKeeper } from '@waymark/event-log/facts/keeper.ts';
import { historyVersion } from '@waymark/history/projection/projection.ts';
import { projectionVersion } from '@waymark/read-models/projection/projection.ts';
import { historyEveryMs } from './limits.ts';
import { createProjector } from './projector.ts';
import { projectorSettings } from './settings.ts';

/** The interval of the Kafka check. Each check opens a connection. */
const kafkaEveryMs = 5_000;

/** Runs the projector: from Kafka into MongoDB, both the read models and the history. */
await runProcess(
  {
    name: 'projector',
    settings: projectorSettings,
    start: async (context) => {
      const { settings, logger } = context;
      const log = eventStore(context);
      const { installation } = await awaitIdentity(context, log);
      const contradicted = createContradictionAlarm(context);
      const side = readSide(context, { contradicted: contradicted.found });
      side.setInstallation(installation);
      const cache = redis(context);
      const source = records(context);
      addKafkaMetrics(context.registry, source.counts);
      const announcements = installationAnnouncements({
        redis: cache,
        prefix: settings.WAYMARK_REDIS_PREFIX,
        installation,
        signer: signerOf(context),
      });
      const engines = [
        createHealthCheck('Event store', () => log.state()),
        createHealthCheck('MongoDB', () => side.generations.list()),
        createHealthCheck('Redis', () => cache.ping()),
        createHealthCheck('Kafka', () => source.ensure(), kafkaEveryMs),
      ];
      const past = history(context, installation);
      const ports = {
        records: source,
        log,
        announcements,
        partitions: partitionsOfCluster,
        graceMs: settings.WAYMARK_GRACE_SECONDS * 1000,
        logger,
      };
      const group = settings.WAYMARK_MONGODB_DATABASE;
      const facts = createFactsKeeper({ store: side.facts, name: 'MongoDB', log: log.known, signer: signerOf(context) });
      const running = createProjector(
        { ...ports, facts, readSide: side, group, version: projectionVersion, roundEveryMs: 0 },
        { ...ports, readSide: past, group: `${group}-history`, version: historyVersion, roundEveryMs: historyEveryMs },
      );
      const unwatch = watchForStall({ engines, works: running.works, fatal: context.fatal });
      return {
        notReady: running.notReady,
        warnings: () => [...source.warnings(), ...contradicted.warnings(), ...running.warnings()],
        stats: () => ({ engines: engineStates(engines), ...running.stats() }),
        metrics: running.metrics,
        close: async () => {
          unwatch();
          await running.close();
          for (const { close } of engines) close();
          announcements.close();
          await Promise.allSettled([source.close(), side.close(), past.close(), log.close()]);
          cache.disconnect();
        },
      };
    },
  },
  process.env,
);
