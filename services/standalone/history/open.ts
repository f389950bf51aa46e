import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { isNoRoom } from '@waymark/files/no-room.ts';
import { openSqliteHistory, type SqliteHistory } from '@waymark/history/sqlite/history.ts';
import { dropFile } from '../data-directory/data-directory.ts';
import { partition } from '../read-side/apply-log.ts';
import { isSameLog } from '../read-side/same-log.ts';
import type { HistoryLog } from './followed-log.ts';

/** Opens the history if the projection of this release built it from this log; otherwise a new one, to be filled from the start of the log. */
export const openCurrentHistory = async (file: string, log: HistoryLog): Promise<SqliteHistory> => {
  const known = await openKnown(file, log).catch(ignoreUnusable);
  if (known !== undefined) return known;
  dropFile(file);
  const history = openSqliteHistory(file);
  await history.apply(partition, 0, [], { incarnation: log.state().incarnation, position: 0, event: '' });
  return history;
};

const openKnown = async (file: string, log: HistoryLog): Promise<SqliteHistory | undefined> => {
  const history = openSqliteHistory(file);
  try {
    const reached = await history.position(partition);
    if (reached !== undefined && isSameLog(reached, { state: log.state, readAfter: log.after })) return history;
  } catch (error) {
    await history.close();
    throw error;
  }
  await history.close();
  return undefined;
};

/** Returns undefined if the file must be built again. Rethrows an error of the log or of a full disk: the file itself may be valid then. */
const ignoreUnusable = (error: unknown): undefined => {
  if (error instanceof LogUnavailable || isNoRoom(error)) throw error;
};
