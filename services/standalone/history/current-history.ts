import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { isDamaged } from '@waymark/files/damaged.ts';
import { moveDurably } from '@waymark/files/durable.ts';
import type { SqliteHistory } from '@waymark/history/sqlite/history.ts';
import { dropFile } from '../data-directory/data-directory.ts';
import type { HistoryLog } from './followed-log.ts';
import { openCurrentHistory } from './open.ts';

/** The history that is open, and the incarnation of the log that it belongs to. */
type Open = { readonly history: SqliteHistory; readonly incarnation: string };

/** The history of the log as it is now. */
export type CurrentHistory = {
  /** Returns the open history; undefined while there is none. */
  readonly open: () => SqliteHistory | undefined;
  /** Returns the history, and opens it if necessary: also once the log was renewed, or another file takes its place. */
  readonly current: () => Promise<Open>;
  /** Lets another file take the place of the history's. */
  readonly replace: (file: string) => void;
  /** Has the history built again if an error says that pages of its file are damaged. */
  readonly failed: (error: unknown) => void;
  readonly close: () => Promise<void>;
};

/** @param opened called when another history was opened */
export const createCurrentHistory = (log: HistoryLog, file: string, opened: (history: SqliteHistory) => Promise<void>): CurrentHistory => {
  let open: Open | undefined;
  let replacement: string | undefined;
  let isFileDamaged = false;
  const close = async (): Promise<void> => {
    const closing = open?.history;
    open = undefined;
    await closing?.close();
  };
  return {
    open: () => open?.history,
    current: async () => {
      const { incarnation } = log.state();
      if (open?.incarnation === incarnation && replacement === undefined && !isFileDamaged) return open;
      await close();
      if (isFileDamaged) dropFile(file);
      isFileDamaged = false;
      if (replacement !== undefined) takeOver(replacement, file);
      replacement = undefined;
      open = { history: await openCurrentHistory(file, log), incarnation };
      await opened(open.history);
      return open;
    },
    replace: (other) => {
      replacement = other;
    },
    failed: (error) => {
      isFileDamaged ||= isDamaged(error) && !(error instanceof LogUnavailable);
    },
    close,
  };
};

/** Moves a closed file of SQLite to the place of another one. */
const takeOver = (from: string, to: string): void => {
  dropFile(to);
  moveDurably(from, to);
};
