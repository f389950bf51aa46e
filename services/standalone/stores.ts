import { openSqliteTokenStore, type SqliteTokenStore } from '@waymark/access/tokens/sqlite/token-store.ts';
import { type OwnedSqliteEventLog, openSqliteEventLog, type SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { isDamaged } from '@waymark/files/damaged.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import type { Media } from '@waymark/media/media.ts';
import type { ProofReads } from '@waymark/proof-store/proof-store.ts';
import { openSqliteProofReads } from '@waymark/proof-store/sqlite/proof-store.ts';
import { type SharedNumber, sharedNumber } from '@waymark/threads/shared-number.ts';
import type { Logger } from 'pino';
import { type DataDirectory, dropFile } from './data-directory/data-directory.ts';
import { type HistoryThread, startHistory } from './history/history.ts';
import { appendForThread } from './notary/thread-log.ts';
import type { NotaryData } from './notary/thread-notary.ts';
import { dropOthers } from './read-side/generations.ts';
import type { ProjectorMessage, ProjectorOptions } from './read-side/projector-thread.ts';
import { openReadSide, type ReadSide } from './read-side/read-side.ts';
import type { Settings } from './settings.ts';
import type { MemoryPlan } from './threads/plan.ts';

/** The open stores of an installation. */
export type OpenStores = {
  readonly log: OwnedSqliteEventLog;
  /** The number of the file of the read models that readers read. */
  readonly shown: SharedNumber;
  /** The number of a file of the read models of which pages are damaged. */
  readonly damaged: SharedNumber;
  readonly readSide: ReadSide;
  readonly tokens: SqliteTokenStore;
  readonly media: Media;
  readonly history: HistoryThread;
  /** Reads of the accounts' trees. */
  readonly proofs: ProofReads;
  /** Resolves once the read models have reached the head that the log had at the start, and are open to readers. */
  readonly complete: Promise<void>;
  readonly close: () => Promise<void>;
};

const problemMessages = {
  log: 'the log cannot be written',
  follower: 'the read models could not be updated',
  facts: 'the facts of the log cannot be written: no more ids are assigned',
  clock: 'the clock of this machine is behind the log: reads as of a moment cannot name the time of new writes yet',
};

export type StoresOptions = {
  readonly directory: DataDirectory;
  readonly settings: Settings;
  readonly memory: MemoryPlan;
  readonly logger: Logger;
  readonly onFatal: (error: Error) => void;
};

export const openStores = async ({ directory, settings, memory, logger, onFatal }: StoresOptions): Promise<OpenStores> => {
  const module = new URL('./read-side/projector-thread.ts', import.meta.url).href;
  const [shown, damaged] = [sharedNumber(), sharedNumber()];
  const projector: ProjectorOptions = {
    directory: directory.readModels,
    memoryBytes: memory.processBytes,
    shown,
    damaged,
  };
  const noRoomToFollow = Promise.withResolvers<void>();
  const log = await openSqliteEventLog({
    file: directory.log,
    facts: directory.facts,
    follower: { module, options: projector },
    onFatal,
    onFailure: (of, error, noRoom) => {
      logger.error({ err: error }, problemMessages[of]);
      if (of === 'follower' && noRoom) noRoomToFollow.resolve();
    },
  });
  const readSide = openReadSide({ directory: directory.readModels, memoryBytes: memory.threadBytes, shown, damaged });
  const tokens = openTokens(directory.tokens, logger);
  const history = startHistory(
    {
      data: { log: directory.log, file: directory.history, notary: notaryData(directory, settings) },
      youngBytes: memory.youngBytes,
      log,
    },
    {
      failed: (error) => logger.error({ err: error }, 'the history could not be updated'),
      append: appendForThread(log.append),
      log: ({ level, fields, text }) => logger[level](fields, text),
    },
  );
  const proofs = openSqliteProofReads(directory.proofs);
  return {
    log,
    shown,
    damaged,
    readSide,
    tokens,
    media: openDiskMedia({ directory: directory.media }),
    history,
    proofs,
    complete: completed(directory, log, noRoomToFollow.promise),
    close: async () => {
      readSide.close();
      proofs.close();
      await history.close();
      await log.close();
      tokens.close();
    },
  };
};

/** Opens the tokens, and begins a new file in the place of a damaged one: nothing else knows them, and clients can request others. */
const openTokens = (file: string, logger: Logger): SqliteTokenStore => {
  try {
    return openSqliteTokenStore({ file });
  } catch (error) {
    if (!isDamaged(error)) throw error;
    logger.error({ err: error, file }, 'the tokens are damaged: the file is replaced, and clients need new tokens');
    dropFile(file);
    return openSqliteTokenStore({ file });
  }
};

const notaryData = ({ notary, proofs }: DataDirectory, settings: Settings): NotaryData => ({
  directory: settings.WAYMARK_NOTARY_DIR || notary,
  proofs,
  keys: settings.WAYMARK_NOTARY_KEY,
  place: settings.WAYMARK_CHECKPOINTS_TO,
  intervalMs: settings.WAYMARK_NOTARY_SECONDS * 1_000,
});

/** Opens the read models to readers once they have caught up. On a full disk they cannot catch up: they are opened as they were before the
 * start. */
const completed = async (directory: DataDirectory, log: SqliteEventLog, noRoom: Promise<void>): Promise<void> => {
  const { head } = await log.state();
  const caughtUp = new Promise<void>((resolve) => {
    const check = (): void => {
      if (log.followed() < head) return;
      unlisten();
      resolve();
    };
    const unlisten = log.onMoved(check);
    check();
  });
  await Promise.race([caughtUp, noRoom]);
  await log.askFollower({ kind: 'show' } satisfies ProjectorMessage);
  dropOthers(directory.readModels);
};
