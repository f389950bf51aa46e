import { type Applications, createApplications } from '@waymark/access/applications.ts';
import type { TokenStore } from '@waymark/access/tokens/token-store.ts';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { createCircuitBreaker } from '@waymark/event-log/circuit-breaker.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { EventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
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
import { eventStore, readSide, redis, signerOf } from './connections.ts';
import { createHealthCheck, firstAnswer, type HealthCheck } from './health-check.ts';
import { createHighWaterMark } from './high-water-mark.ts';
import type { OwnKeys } from './identity.ts';
import {
  installationAnnouncements,
  installationFacts,
  installationFailureLimit,
  installationRateLimit,
  installationTokens,
} from './installation-redis.ts';
import { joinInstallation } from './join.ts';
import { createFactsReader, type FactsReader } from './known-facts.ts';
import { registerReader } from './reader-registration.ts';
import type { Context } from './run.ts';
import { createWriteGate, type WriteGate } from './write-gate.ts';

type WorldSettings = ProcessSettings & EventStoreSettings & MongoSettings & RedisSettings & SigningSettings;

/** What all processes that answer the API, or its operators, work with. */
export type ClusterContext = {
  readonly log: EventLog;
  /** Drops what a stream of the log has before a revision. @throws LogUnavailable */
  readonly truncate: (stream: string, before: number) => Promise<void>;
  /** Gives the log another incarnation. */
  readonly renewIncarnation: EventStoreLog['renewIncarnation'];
  /** Whether writes of content, and of applications, are taken. */
  readonly writes: WriteGate;
  /** What Redis and MongoDB know of the log; undefined in a process that takes no writes. */
  readonly facts: FactsReader | undefined;
  readonly models: ReadModels;
  readonly tokens: TokenStore;
  readonly applications: Applications;
  readonly incarnation: string;
  readonly keys: OwnKeys;
  /** Waits, bounded, until every reader sees what stands at a position of an account's order. False: not in time. */
  readonly visible: (account: string, position: number) => boolean | Promise<boolean>;
  /** Counted by all processes together. */
  readonly limited: (quota: Quota) => RateLimit;
  readonly failures: (quota: Quota) => FailureLimit;
  readonly engines: { readonly log: HealthCheck; readonly readSide: HealthCheck; readonly redis: HealthCheck };
  readonly readSide: MongoReadSide;
  readonly close: () => Promise<void>;
};

export type ClusterContextOptions = {
  /** How long a write waits for its readers, in milliseconds. */
  readonly waitMs: number;
  /** Whether an application's row in the read side serves where the log does not answer: in what only reads. */
  readonly readsOnly: boolean;
  /** Whether it takes writes: then what is known of the log is compared with it. */
  readonly takesWrites?: boolean;
  readonly rateLimits: 'on' | 'off';
  /** Whether single documents of the read side are kept in memory. */
  readonly cached?: boolean;
  /** How long a known token is good where neither the log nor Redis answers, in milliseconds. */
  readonly knownTokenMs?: number;
  /** Whether it starts although its signing keys are not accepted: it can have them accepted. */
  readonly adopts?: boolean;
};

/** Opens the engines, and waits until it is known which log this is, and a moment for those that it can do without: whoever asks first shall not
 * hear that a token is unknown to a process that has not reached them yet.
 * @throws WrongSettings where the installation does not accept the signing keys */
export const openClusterContext = async (context: Context<WorldSettings>, options: ClusterContextOptions): Promise<ClusterContext> => {
  const { waitMs, readsOnly, takesWrites = false, rateLimits, cached = false, knownTokenMs = 0, adopts = false } = options;
  const { settings, logger, stopped } = context;
  const store = eventStore(context);
  // Who only reads is not held up by a log that stands still.
  const log = readsOnly ? createCircuitBreaker(store, { logger }) : store;
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
    await retryUntilReady('preparing the read side', () => side.ensure(), logger, stopped);
    const { incarnation, installation, keys } = await joinInstallation({ context, log, store, side, readsOnly, adopts });
    const shared = { redis: cache, prefix: settings.WAYMARK_REDIS_PREFIX, installation, signer: signerOf(context), memoryBytes };
    announcements = installationAnnouncements(shared);
    if (takesWrites) {
      facts = createFactsReader({ ...shared, redis: installationFacts(shared), mongodb: side.facts, log: store.known });
    }
    await Promise.all([log.state, () => cache.ping()].map((ask) => firstAnswer(ask, stopped)));
    return {
      log,
      truncate: store.truncate,
      renewIncarnation: store.renewIncarnation,
      writes: createWriteGate({ log, incarnation, furthest: furthest.position, ...(facts && { facts }) }),
      facts,
      models: live,
      tokens: installationTokens({ ...shared, log, knownMs: knownTokenMs }),
      applications: readsOnly ? createApplications(log, { models: live, memoryBytes }) : createApplications(log, { memoryBytes }),
      incarnation,
      keys,
      visible: createVisibilityWaiter({ partitions: partitionsOfCluster, visiblePosition, waited: reading.waited, announcements, waitMs }),
      limited: (quota) => (rateLimits === 'off' ? noRateLimit : installationRateLimit(shared, quota)),
      failures: (quota) => (rateLimits === 'off' ? noFailureLimit : installationFailureLimit(shared, quota)),
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
