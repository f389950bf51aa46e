import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import type { MongoHistory } from '@waymark/history/mongodb/history.ts';
import { createVisibilityWaiter } from '@waymark/read-models/visibility/visibility-waiter.ts';
import type { MongoSettings, ProcessSettings, RedisSettings, SigningSettings } from '@waymark/runtime/common-settings.ts';
import { type Ask, createAsking } from './asking.ts';
import type { ClusterContext } from './cluster-context.ts';
import { history, redis, signerOf } from './connections.ts';
import { installationAnnouncements } from './installation-redis.ts';
import { type ReaderRegistration, registerReader } from './reader-registration.ts';
import type { Context } from './run.ts';

/** The history, as a process reads it. */
export type HistoryReads = {
  readonly history: MongoHistory;
  readonly ask: Ask;
  readonly reading: Pick<ReaderRegistration, 'notReady'>;
  readonly close: () => Promise<void>;
};

export type HistoryReadsOptions = {
  /** How long a request waits for the history to have what was acknowledged before it. */
  readonly waitMs: number;
  readonly waitersMax: number;
};

/** Opens the history, and connects with the first call. */
export const openHistoryReads = (
  context: Context<ProcessSettings & MongoSettings & RedisSettings & SigningSettings>,
  { installation, readSide }: Pick<ClusterContext, 'installation' | 'readSide'>,
  { waitMs, waitersMax }: HistoryReadsOptions,
): HistoryReads => {
  const past = history(context, installation);
  const cache = redis(context);
  const reading = registerReader(past, { reads: true });
  const prefix = context.settings.WAYMARK_REDIS_PREFIX;
  const announcements = installationAnnouncements({ redis: cache, prefix, installation, signer: signerOf(context) });
  const reaches = createVisibilityWaiter({
    partitions: partitionsOfCluster,
    visiblePosition: past.visiblePosition,
    awaited: () => reading.awaited().map((name) => past.generation(name).name),
    announcements,
    waitMs,
    waitersMax,
  });
  return {
    history: past,
    reading,
    ask: createAsking({ history: past.live, acknowledged: readSide.visiblePosition, reaches }),
    close: async () => {
      reading.close();
      announcements.close();
      await past.close();
      cache.disconnect();
    },
  };
};
