import { type Applications, createApplications } from '@waymark/access/applications.ts';
import type { TokenStore } from '@waymark/access/tokens/token-store.ts';
import { openWindowCounters } from '@waymark/access/window-counters.ts';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { createCircuitBreaker } from '@waymark/event-log/circuit-breaker.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { EventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { type OpenAmounts, openAmounts } from '@waymark/http/counters/open-amounts.ts';
import { type FailureLimit, noFailureLimit, noRateLimit, type Quota, type RateLimit } from '@waymark/http/rate-limit.ts';
import type { MongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';
import type { ReadModels } from '@waymark/read-models/read-models.ts';
import { createVisibilityWaiter } from '@waymark/read-models/visibility/visibility-waiter.ts';
import type {
  EventStoreSettings,
  MongoSettings,
  ProcessSettings,
  RedisSettings,
  SigningSettings,
} from '@waymark/runtime/common-settings.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import { retryUntilReady } from '@waymark/runtime/retry-until-ready.ts';
import { watchClock } from './clock-watch.ts';
import { eventStore, readSide, redis, signerOf } from './connections.ts';
import { createHealthCheck, firstAnswer, type HealthCheck } from './health-check.ts';
import { createHighWaterMark } from './high-water-mark.ts';
import type { OwnKeys } from './identity.ts';
import {
  type InstallationRedisOptions,
  installationAnnouncements,
  installationFacts,
  installationFailureLimit,
  installationRateLimit,
  installationTokens,
} from './installation-redis.ts';
import { joinInstallation } from './join.ts';
import { createFactsReader, type FactsReader } from './known-facts.ts';
import { type ReaderRegistration, registerReader } from './reader-registration.ts';
import type { Context } from './run.ts';
import { type ClusterWriteGate, createClusterWriteGate } from './write-gate.ts';

type ClusterSettings = ProcessSettings & EventStoreSettings & MongoSettings & RedisSettings & SigningSettings;

/** The connections and stores of a process that serves the API or its operators. */
export type ClusterContext = {
  readonly log: EventLog;
  /** Removes the events of a stream before a revision.
   * @throws LogUnavailable */
  readonly truncate: (stream: string, before: number) => Promise<void>;
  /** Delivers the events of the streams of refused requests. */
  readonly subscribeToRefusals: EventStoreLog['subscribeToRefusals'];
  /** Gives the log a new incarnation. */
  readonly renewIncarnation: EventStoreLog['renewIncarnation'];
  /** Decides whether writes of content and of applications are accepted. */
  readonly writes: ClusterWriteGate;
  /** The known facts of the log in Redis and MongoDB; undefined in a process that does not accept writes. */
  readonly facts: FactsReader | undefined;
  readonly models: ReadModels;
  readonly tokens: TokenStore;
  readonly applications: Applications;
  readonly incarnation: string;
  /** The installation of the log. */
  readonly installation: string;
  readonly keys: OwnKeys;
  /** Waits, for a bounded time, until every reader sees the given position of an account's partition. Returns false if that takes too long. */
  readonly visible: (account: string, position: number) => boolean | Promise<boolean>;
  /** Limits that all processes count together. */
  readonly limited: (quota: Quota) => RateLimit;
  readonly failures: (quota: Quota) => FailureLimit;
  /** What is open in this process, by address and by caller. */
  readonly amounts: OpenAmounts;
  readonly engines: { readonly log: HealthCheck; readonly readSide: HealthCheck; readonly redis: HealthCheck };
  readonly readSide: MongoReadSide;
  readonly reading: Pick<ReaderRegistration, 'notReady'>;
  readonly close: () => Promise<void>;
};

export type ClusterContextOptions = {
  /** How long a write waits for the readers, in milliseconds. A process that never waits receives no announcements: there is one for each
   * transaction of a projector. */
  readonly waitMs: number;
  /** Whether the process only reads. It then uses an application's document in the read models while the log is unavailable. */
  readonly readsOnly: boolean;
  /** Whether the process accepts writes. It then compares the log with its known facts. */
  readonly takesWrites?: boolean;
  readonly rateLimits: 'on' | 'off';
  /** Whether single documents of the read models are cached in memory. */
  readonly cached?: boolean;
  /** How long a known token stays valid while neither the log nor Redis is available, in milliseconds. */
  readonly knownTokenMs?: number;
  /** Whether the process starts even if its signing keys are not accepted: it can have them accepted. */
  readonly adopts?: boolean;
};

type Limits = Pick<ClusterContext, 'limited' | 'failures'>;

const limitsIn = (shared: InstallationRedisOptions, rateLimits: 'on' | 'off', memoryBytes: number): Limits => {
  if (rateLimits === 'off') return { limited: () => noRateLimit, failures: () => noFailureLimit };
  const options = { ...shared, counters: openWindowCounters({ memoryBytes }) };
  return {
    limited: (quota) => installationRateLimit(options, quota),
    failures: (quota) => installationFailureLimit(options, quota),
  };
};

/** Opens the engines and waits until the identity of the log is known. Waits a moment for the engines that the process can do without:
 * otherwise the first clients could be refused because the process has not reached them yet.
 * @throws WrongSettings if the installation does not accept the signing keys */
export const openClusterContext = async (context: Context<ClusterSettings>, options: ClusterContextOptions): Promise<ClusterContext> => {
  const { waitMs, readsOnly, takesWrites = false, rateLimits, cached = false, knownTokenMs = 0, adopts = false } = options;
  const { settings, logger, stopped } = context;
  const store = eventStore(context);
  // A process that only reads must not wait for a frozen log.
  const log = readsOnly ? createCircuitBreaker(store, { logger }) : watchClock(store, logger);
  const memoryBytes = memoryBytesOf(settings);
  const side = readSide(context, cached ? { cachedOfBytes: memoryBytes } : {});
  const { live, visiblePosition } = side;
  const cache = redis(context);
  const reading = registerReader(side, { reads: readsOnly });
  const furthest = createHighWaterMark(side);
  let announcements: ReturnType<typeof installationAnnouncements> | undefined;
  let facts: FactsReader | undefined;
  const close = async (): Promise<void> => {
    for (const { close: unwatch } of Object.values(engines)) unwatch();
    reading.close();
    furthest.close();
    facts?.close();
    announcements?.close();
    await Promise.allSettled([side.close(), store.close()]);
    cache.disconnect();
  };
  const engines = watched(log, side, cache);
  try {
    await retryUntilReady('preparing the read models', () => side.ensure(), logger, stopped);
    const { incarnation, installation, keys } = await joinInstallation({ context, log, store, side, readsOnly, adopts });
    const shared = { redis: cache, prefix: settings.WAYMARK_REDIS_PREFIX, installation, signer: signerOf(context) };
    if (waitMs > 0) announcements = installationAnnouncements(shared);
    if (takesWrites) facts = createFactsReader({ ...shared, redis: installationFacts(shared), mongodb: side.facts, log: store.known });
    await Promise.all([log.state, () => cache.ping()].map((ask) => firstAnswer(ask, stopped)));
    const reaches = createVisibilityWaiter({
      ...{ partitions: partitionsOfCluster, visiblePosition, awaited: reading.awaited, announcements, waitMs },
    });
    return {
      log,
      truncate: store.truncate,
      subscribeToRefusals: store.subscribeToRefusals,
      renewIncarnation: store.renewIncarnation,
      writes: createClusterWriteGate({ log, incarnation, furthest: furthest.position, ...(facts && { facts }) }),
      facts,
      models: live,
      tokens: installationTokens({ ...shared, log, knownMs: knownTokenMs }),
      applications: readsOnly ? createApplications(log, { models: live, memoryBytes }) : createApplications(log, { memoryBytes }),
      ...{ incarnation, installation, keys, reading },
      visible: (account, position) => reaches(partitionOf(account, partitionsOfCluster), position),
      ...limitsIn(shared, rateLimits, memoryBytes),
      amounts: openAmounts({ memoryBytes }),
      engines,
      readSide: side,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const watched = (log: EventLog, side: MongoReadSide, cache: ReturnType<typeof redis>): ClusterContext['engines'] => ({
  log: createHealthCheck('Event store', () => log.state()),
  readSide: createHealthCheck('Read side', () => side.live.position(0)),
  redis: createHealthCheck('Redis', () => cache.ping()),
});
