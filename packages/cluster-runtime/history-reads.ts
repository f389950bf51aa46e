import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import type { History } from '@waymark/history/history.ts';
import { createVisibilityWaiter, type VisibilityWaiter } from '@waymark/read-models/visibility/visibility-waiter.ts';
import type { MongoSettings, ProcessSettings, RedisSettings, SigningSettings } from '@waymark/runtime/common-settings.ts';
import type { ClusterContext } from './cluster-context.ts';
import { history, redis, signerOf } from './connections.ts';
import { installationAnnouncements } from './installation-redis.ts';
import { registerReader } from './reader-registration.ts';
import type { Context } from './run.ts';

/** The history, as a process reads it. */
export type HistoryReads = {
  readonly history: Pick<History, 'read' | 'position'>;
  /** Waits, for a bounded time, until the history has everything up to a position of an account's partition. */
  readonly reaches: VisibilityWaiter;
  readonly close: () => Promise<void>;
};

export type HistoryReadsOptions = {
  /** How long a request waits for the history. */
  readonly waitMs: number;
  readonly waitersMax: number;
};

/** Opens the history, and connects with the first call. */
export const openHistoryReads = (
  context: Context<ProcessSettings & MongoSettings & RedisSettings & SigningSettings>,
  { installation }: Pick<ClusterContext, 'installation'>,
  { waitMs, waitersMax }: HistoryReadsOptions,
): HistoryReads => {
  const past = history(context, installation);
  const cache = redis(context);
  const reading = registerReader(past, { reads: true });
  const prefix = context.settings.WAYMARK_REDIS_PREFIX;
  const announcements = installationAnnouncements({ redis: cache, prefix, installation, signer: signerOf(context) });
  return {
    history: past.live,
    reaches: createVisibilityWaiter({
      partitions: partitionsOfCluster,
      visiblePosition: past.visiblePosition,
      awaited: () => reading.awaited().map((name) => past.generation(name).name),
      announcements,
      waitMs,
      waitersMax,
    }),
    close: async () => {
      reading.close();
      announcements.close();
      await past.close();
      cache.disconnect();
    },
  };
};
