import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory } from '@waymark/files/durable.ts';
import { writePrivate } from '@waymark/files/private.ts';
import { createWriteGate, type WriteGate, writesClosed } from '@waymark/operations/write-gate.ts';

/** Controls whether an installation accepts writes. Closed writes stay closed, even after a restart, until they are opened again: an
 * installation whose data was moved elsewhere must not change any more. */
export type InstallationWriteGate = WriteGate & {
  readonly closed: () => boolean;
  /** Closes writes. Resolves once the writes in progress are settled and the state is durable. */
  readonly close: () => Promise<void>;
  readonly open: () => void;
};

/** The content of `writes-closed.json`, which shows the time to an operator. Stored: never rename. */
type StoredClosing = { readonly since: string };

/** Creates the gate. `file` exists while writes are closed. */
export const createInstallationWriteGate = (file: string): InstallationWriteGate => {
  let closed = existsSync(file);
  const gate = createWriteGate(() => (closed ? writesClosed : undefined));
  return {
    ...gate,
    closed: () => closed,
    close: async () => {
      closed = true;
      if (!existsSync(file)) writePrivate(file, JSON.stringify({ since: new Date().toISOString() } satisfies StoredClosing));
      await Promise.allSettled(gate.inProgress);
    },
    open: () => {
      rmSync(file, { force: true });
      syncDirectory(dirname(file));
      closed = false;
    },
  };
};
