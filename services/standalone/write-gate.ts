import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OwnedSqliteEventLog, SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { syncDirectory } from '@waymark/files/durable.ts';
import { writePrivate } from '@waymark/files/private.ts';
import { createWriteGate, type WriteGate, writesClosed } from '@waymark/operations/write-gate.ts';

/** Controls whether an installation accepts writes. Closed writes stay closed, even after a restart, until they are opened again: an
 * installation whose data was moved elsewhere must not change any more. */
export type InstallationWriteGate = WriteGate & {
  readonly closed: () => boolean;
  /** Closes writes. Resolves once the writes in progress, of all threads, are settled and the state is durable. */
  readonly close: () => Promise<void>;
  readonly open: () => void;
};

/** The content of `writes-closed.json`, which shows the time to an operator. Stored: never rename. */
type StoredClosing = { readonly since: string };

/** Creates the gate of one thread. The state of writes is in memory that all threads share. */
export const createThreadWriteGate = ({ isClosedToThreads }: Pick<SqliteEventLog, 'isClosedToThreads'>): WriteGate =>
  createWriteGate(() => (isClosedToThreads() ? writesClosed : undefined));

/** Creates the gate of the main thread. `file` exists while writes are closed. */
export const createInstallationWriteGate = (
  file: string,
  log: Pick<OwnedSqliteEventLog, 'isClosedToThreads' | 'setClosedToThreads' | 'settled'>,
): InstallationWriteGate => {
  log.setClosedToThreads(existsSync(file));
  const gate = createThreadWriteGate(log);
  return {
    ...gate,
    closed: log.isClosedToThreads,
    close: async () => {
      log.setClosedToThreads(true);
      if (!existsSync(file)) writePrivate(file, JSON.stringify({ since: new Date().toISOString() } satisfies StoredClosing));
      await log.settled();
      await Promise.allSettled(gate.inProgress);
    },
    open: () => {
      rmSync(file, { force: true });
      syncDirectory(dirname(file));
      log.setClosedToThreads(false);
    },
  };
};
