import { existsSync } from 'node:fs';
import { type HighestIds, highestOf, noIds } from '@waymark/event-log/facts/facts.ts';
import { skipIds } from '@waymark/event-log/id-allocator.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { factsIn } from '@waymark/event-log/sqlite/facts.ts';
import { renewLog } from '@waymark/event-log/sqlite/maintenance.ts';
import { type LogReader, openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { readReservedIds } from '@waymark/event-log/sqlite/reserved-ids.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { openSqliteReadModels, sqliteHighestIds } from '@waymark/read-models/sqlite/read-models.ts';
import { currentFile } from '../read-side/generations.ts';
import { isSameLog } from '../read-side/same-log.ts';
import { type DataDirectory, dropFile } from './data-directory.ts';

/** Whether the read side, or what was noted of the log, is of another log than the one that lies there now: somebody put an older copy, or none, in
 * its place, and what that does not know of may have been given out. */
export const wasRolledBack = async ({ log: file, facts, readModels }: DataDirectory): Promise<boolean> => {
  const known = [notedIn(facts), await positionIn(currentFile(readModels))].filter((stands) => stands !== undefined);
  if (known.length === 0) return false;
  if (!existsSync(file)) return true;
  return withLog(file, ({ state, after }) => known.some((stands) => !isSameLog(stands, { state, readAfter: after })));
};

const notedIn = (file: string): ReadPosition | undefined => {
  const facts = factsIn(file);
  return facts && { incarnation: facts.incarnation, position: facts.head, event: facts.event };
};

/** Makes a log that was put back a log of its own: no id, entity tag, cursor or token of what it forgot counts any more.
 * The new name comes last, and what was noted of the log stays as it is, so that a crash before it is noticed again. */
export const renew = async (logFile: string, tokensFile: string, known: HighestIds): Promise<void> => {
  dropFile(tokensFile);
  const log = await openSqliteEventLog({ file: logFile });
  await skipIds(log, known);
  await log.close();
  renewLog(logFile);
};

/** What a data directory's log, its read side and what was noted of the log, as far as they can be read, know of ids that were given out. */
export const highestIds = ({ log, facts, readModels }: DataDirectory): HighestIds => {
  const reserved = known(() => (existsSync(log) ? withLog(log, readReservedIds) : noIds));
  const shown = known(() => sqliteHighestIds(currentFile(readModels)));
  return highestOf(highestOf(reserved, shown), factsIn(facts)?.ids ?? noIds);
};

/** What is damaged knows nothing. */
const known = (look: () => HighestIds): HighestIds => {
  try {
    return look();
  } catch {
    return noIds;
  }
};

const positionIn = async (file: string): Promise<ReadPosition | undefined> => {
  const models = openSqliteReadModels({ file, mode: 'reader' });
  const stands = await models.position(0).catch(() => undefined);
  models.close();
  return stands;
};

const withLog = <Result>(file: string, look: (log: LogReader) => Result): Result => {
  const { reader, close } = openLogReader(file);
  try {
    return look(reader);
  } finally {
    close();
  }
};
