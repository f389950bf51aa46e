import { statSync } from 'node:fs';
import { isDamaged } from '@waymark/files/damaged.ts';
import type { Database } from 'better-sqlite3';
import { type ProofReads, type ProofStore, ProofsUnavailable } from '../proof-store.ts';
import { MissingNodes } from '../tile-growth.ts';
import { openFile, openReader, remove } from './open.ts';
import { sqliteReads } from './reads.ts';
import { sqliteWrites } from './writes.ts';

export type SqliteProofStore = ProofStore & {
  /** Closes the file. Later calls throw ProofsUnavailable. */
  readonly close: () => void;
};

/** Opens a proof store in a SQLite file for the one thread that writes it. Creates the file where there is none, and where it cannot be used,
 * also later. */
export const openSqliteProofStore = (file: string): SqliteProofStore => {
  const { using, close } = keptOpen(file, () => {
    const db = openFile(file);
    return { db, reads: sqliteReads(db), writes: sqliteWrites(db) };
  });
  return {
    ...readsOf((read) => using(({ reads }) => read(reads))),
    position: () => using(({ writes }) => writes.position()),
    apply: (growth) =>
      using(({ writes }) => {
        try {
          return writes.apply(growth);
        } catch (error) {
          if (!(error instanceof MissingNodes)) throw error;
          writes.clear();
          return false;
        }
      }),
    noteCheckpoint: (...noted) => using(({ writes }) => writes.noteCheckpoint(...noted)),
    clear: () => using(({ writes }) => writes.clear()),
    close,
  };
};

/** Opens the reads of a file that another thread writes. The file may be missing, and may be replaced at any time.
 * @throws ProofsUnavailable from each read while there is no file that can be read */
export const openSqliteProofReads = (file: string): ProofReads & { readonly close: () => void } => {
  const { using, close } = keptOpen(file, () => {
    const db = openReader(file);
    return { db, reads: sqliteReads(db) };
  });
  return { ...readsOf((read) => using(({ reads }) => read(reads))), close };
};

type ReadUse = <Value>(read: (reads: ProofReads) => Promise<Value>) => Promise<Value>;

const readsOf = (using: ReadUse): ProofReads => ({
  latest: () => using(({ latest }) => latest()),
  checkpoints: (...of) => using(({ checkpoints }) => checkpoints(...of)),
  milestones: () => using(({ milestones }) => milestones()),
  roots: (sequence) => using(({ roots }) => roots(sequence)),
  tiles: (...of) => using(({ tiles }) => tiles(...of)),
  leaves: (...of) => using(({ leaves }) => leaves(...of)),
  leavesOf: (...of) => using(({ leavesOf }) => leavesOf(...of)),
});

/** Keeps a file open, and opens it again after it was removed or replaced, and after an error of SQLite. A damaged file is removed, so that
 * the notary fills a new one: whoever reads the damaged pages may be the only one to notice. */
const keptOpen = <Open extends { readonly db: Database }>(file: string, open: () => Open) => {
  let current: { readonly opened: Open; readonly inode: number | undefined } | undefined;
  let isClosed = false;
  const inode = (): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino;
  const drop = (): void => {
    current?.opened.db.close();
    current = undefined;
  };
  const dropDamaged = (): void => {
    const isInPlace = current !== undefined && current.inode === inode();
    drop();
    if (isInPlace) remove(file);
  };
  const opened = (): Open => {
    if (isClosed) throw new ProofsUnavailable(`${file} is closed.`);
    if (current !== undefined && current.inode === inode()) return current.opened;
    drop();
    const other = open();
    current = { opened: other, inode: inode() };
    return other;
  };
  return {
    /** @throws ProofsUnavailable */
    using: async <Value>(use: (opened: Open) => Value | Promise<Value>): Promise<Value> => {
      try {
        return await use(opened());
      } catch (error) {
        const { name, message } = error as Error;
        // Checked by name: code that loads the library again has another class.
        if (name !== 'SqliteError') throw error;
        if (isDamaged(error)) dropDamaged();
        else drop();
        throw new ProofsUnavailable(message, { cause: error });
      }
    },
    close: (): void => {
      drop();
      isClosed = true;
    },
  };
};
