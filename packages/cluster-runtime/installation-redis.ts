import { createRedisFailureLimit, createRedisRateLimit, type RedisRateLimitOptions } from '@waymark/access/redis/rate-limits.ts';
import { createEventLogTokenStore } from '@waymark/access/tokens/event-log/token-store.ts';
import { createRedisTokenStore } from '@waymark/access/tokens/redis/token-store.ts';
import type { TokenStore } from '@waymark/access/tokens/token-store.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { type FactsStore, sealedCharactersMax } from '@waymark/event-log/facts/store.ts';
import type { FailureLimit, Quota, RateLimit } from '@waymark/http/rate-limit.ts';
import { openRedisAnnouncements } from '@waymark/read-models/visibility/redis/announcements.ts';
import { createRedisFacts } from '@waymark/redis/facts.ts';
import { createRedisLease, type Lease, type RedisLeaseOptions } from '@waymark/redis/lease.ts';
import type { Signer } from '@waymark/signing/signer.ts';

/** Returns the prefix of an installation's keys and channels. The installation's id is unique, so two installations can share a Redis and a
 * prefix. */
export const redisPrefixOf = (prefix: string, installation: string): string => `${prefix}:${installation}`;

export type InstallationRedisOptions = {
  readonly redis: RedisLeaseOptions['redis'];
  /** The prefix from the settings. */
  readonly prefix: string;
  /** The installation's id, from the log. */
  readonly installation: string;
};

type SignedOptions = InstallationRedisOptions & { readonly signer: Signer };
type TokensOptions = SignedOptions & { readonly log: EventLog; readonly knownMs: number };
type LimitOptions = InstallationRedisOptions & Pick<RedisRateLimitOptions, 'counters'>;

const named = <Options extends InstallationRedisOptions>({ prefix, installation, ...options }: Options) => ({
  ...options,
  prefix: redisPrefixOf(prefix, installation),
});

/** Creates the token store under the installation's names in Redis. The functions below do the same for the other values that processes
 * keep there. */

export const installationTokens = ({ log, ...options }: TokensOptions): TokenStore =>
  createRedisTokenStore({ ...named(options), log, tokens: createEventLogTokenStore({ log }) });

export const installationAnnouncements = (options: SignedOptions): ReturnType<typeof openRedisAnnouncements> =>
  openRedisAnnouncements(named(options));

export const installationRateLimit = (options: LimitOptions, quota: Quota): RateLimit => createRedisRateLimit(named(options), quota);

export const installationFailureLimit = (options: LimitOptions, quota: Quota): FailureLimit =>
  createRedisFailureLimit(named(options), quota);

/** Creates the store of the known facts of the log. */
export const installationFacts = ({ redis, prefix, installation }: InstallationRedisOptions): FactsStore =>
  createRedisFacts(redis, `${redisPrefixOf(prefix, installation)}:facts`, sealedCharactersMax);

/** Creates the lease of the active relay. */
export const relayLease = ({ redis, prefix, installation }: InstallationRedisOptions): Lease =>
  createRedisLease({ redis, key: `${redisPrefixOf(prefix, installation)}:relay` });
