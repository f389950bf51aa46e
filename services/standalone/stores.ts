import { openSqliteTokenStore, type SqliteTokenStore } from '@waymark/access/tokens/sqlite/token-store.ts';
import { openSqliteEventLog, type SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import type { Media } from '@waymark/media/media.ts';
import type { Logger } from 'pino';
import type { DataDirectory } from './data-directory/data-directory.ts';
import { dropOthers } from './read-side/generations.ts';
import type { ProjectorMessage } from './read-side/projector-thread.ts';
import { openReadSide, type ReadSide } from './read-side/read-side.ts';

/** The open stores of an installation. */
export type OpenStores = {
  readonly log: SqliteEventLog;
  readonly readSide: ReadSide;
  readonly tokens: SqliteTokenStore;
  readonly media: Media;
  /** Resolves once the read models have reached the head that the log had at the start, and are open to readers. */
  readonly complete: Promise<void>;
  readonly close: () => Promise<void>;
};

const problemMessages = {
  log: 'the log cannot be written',
  follower: 'the read models could not be updated',
  facts: 'the facts of the log cannot be written: no more ids are assigned',
};

export type StoresOptions = {
  readonly directory: DataDirectory;
  /** The memory that the process plans with. */
  readonly memoryBytes: number;
  readonly logger: Logger;
  readonly onFatal: (error: Error) => void;
};

export const openStores = async ({ directory, memoryBytes, logger, onFatal }: StoresOptions): Promise<OpenStores> => {
  const module = new URL('./read-side/projector-thread.ts', import.meta.url).href;
  const noRoomToFollow = Promise.withResolvers<void>();
  const log = await openSqliteEventLog({
    file: directory.log,
    facts: directory.facts,
    follower: { module, options: { directory: directory.readModels, memoryBytes } },
    onFatal,
    onFailure: (of, error, noRoom) => {
      logger.error({ err: error }, problemMessages[of]);
      if (of === 'follower' && noRoom) noRoomToFollow.resolve();
    },
  });
  const reads = openReadSide(memoryBytes);
  const tokens = openSqliteTokenStore({ file: directory.tokens });
  return {
    log,
    readSide: reads,
    tokens,
    media: openDiskMedia({ directory: directory.media }),
    complete: completed(directory, log, reads, noRoomToFollow.promise),
    close: async () => {
      reads.close();
      await log.close();
      tokens.close();
    },
  };
};

/** Opens the read models to readers once they have caught up. On a full disk they cannot catch up: they are opened as they were before the
 * start. */
const completed = async (directory: DataDirectory, log: SqliteEventLog, reads: ReadSide, noRoom: Promise<void>): Promise<void> => {
  const { head } = await log.state();
  const file = (await log.askFollower({ kind: 'file' } satisfies ProjectorMessage)) as string;
  const caughtUp = new Promise<void>((resolve) => {
    const check = (): void => {
      if (log.followed() < head) return;
      unlisten();
      resolve();
    };
    const unlisten = log.onFollowed(check);
    check();
  });
  await Promise.race([caughtUp, noRoom]);
  reads.open(file);
  dropOthers(directory.readModels);
};
