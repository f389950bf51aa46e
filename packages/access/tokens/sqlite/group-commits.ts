import type Database from 'better-sqlite3';
import { groupMax } from '../limits.ts';
import { TokenStoreUnavailable } from '../token-store.ts';

/** Makes a write durable.
 * @throws TokenStoreUnavailable if nothing was written */
type Commit = (write: () => void) => Promise<void>;

type Waiting = { readonly write: () => void; readonly resolve: () => void; readonly reject: (error: Error) => void };

/** Commits all writes of one turn of the event loop together, in their order: each commit waits for the disk, and all writers wait with it. */
export const createGroupCommits = (db: Database.Database): { readonly commit: Commit; readonly flush: () => void } => {
  let group: Waiting[] = [];
  let turnEnd: NodeJS.Immediate | undefined;
  const writeAll = db.transaction((waiting: readonly Waiting[]) => {
    for (const { write } of waiting) write();
  });

  const flush = () => {
    const waiting = group;
    group = [];
    clearImmediate(turnEnd);
    if (waiting.length === 0) return;
    try {
      writeAll(waiting);
      for (const { resolve } of waiting) resolve();
    } catch (cause) {
      for (const { reject } of waiting) reject(new TokenStoreUnavailable('The tokens cannot be written.', { cause }));
    }
  };

  const commit: Commit = (write) =>
    new Promise((resolve, reject) => {
      group.push({ write, resolve, reject });
      if (group.length === 1) turnEnd = setImmediate(flush);
      if (group.length === groupMax) flush();
    });
  return { commit, flush };
};
