import { existsSync } from 'node:fs';
import { type HighestIds, skipIds } from '@waymark/commands/app.ts';
import { allocatorStream, type Numbered } from '@waymark/domain/streams.ts';
import { reservedBy } from '@waymark/event-log/reservations.ts';
import { sqliteEventLog } from '@waymark/event-log/sqlite.ts';
import { renewLog } from '@waymark/event-log/sqlite-maintenance.ts';
import { type LogReader, logReader } from '@waymark/event-log/sqlite-reader.ts';
import { openReader } from '@waymark/event-log/sqlite-schema.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { sqliteHighestIds, sqliteReadModels } from '@waymark/read-models/sqlite.ts';
import { type DataDirectory, dropFile } from './data-directory.ts';
import { currentFile } from './generations.ts';
import { matches } from './matching.ts';

/** Whether the read side was made from another log than the one that lies there now: somebody put an older copy, or none, in its place,
 * and what that does not know of may have been given out. */
export const wasPutBack = async ({ log: file, readModels }: DataDirectory): Promise<boolean> => {
  const stands = await positionIn(currentFile(readModels));
  if (stands === undefined) return false;
  return !(existsSync(file) && withLog(file, (log) => matches(stands, { state: log.state, readAfter: log.after })));
};

/** Makes a log that was put back a log of its own: no id, entity tag, cursor or token of what it forgot counts any more.
 * The new name comes last, so that a crash before it is noticed again. */
export const renew = async (logFile: string, tokensFile: string, known: HighestIds): Promise<void> => {
  dropFile(tokensFile);
  const log = await sqliteEventLog({ file: logFile });
  await skipIds(log, known);
  await log.close();
  renewLog(logFile);
};

/** What a data directory's log and read side, as far as they can be read, know of ids that were given out. */
export const highestIds = ({ log, readModels }: DataDirectory): HighestIds => {
  const reserved = known(() => (existsSync(log) ? withLog(log, reservedIn) : none));
  const shown = known(() => sqliteHighestIds(currentFile(readModels)));
  const highest = (resource: Numbered): number => Math.max(reserved[resource], shown[resource]);
  return { pinpoint: highest('pinpoint'), list: highest('list'), category: highest('category'), happening: highest('happening') };
};

const none: HighestIds = { pinpoint: 0, list: 0, category: 0, happening: 0 };

/** What is damaged knows nothing. */
const known = (look: () => HighestIds): HighestIds => {
  try {
    return look();
  } catch {
    return none;
  }
};

/** The last id of each sequence that a log has reserved. */
export const reservedIn = (log: LogReader): HighestIds => {
  const highest = (resource: Numbered): number => {
    const stream = allocatorStream(resource);
    const [last = 'none'] = log.last([stream]);
    const [event] = last === 'none' ? [] : log.read(stream, last, 1);
    return event === undefined ? 0 : reservedBy(event);
  };
  return { pinpoint: highest('pinpoint'), list: highest('list'), category: highest('category'), happening: highest('happening') };
};

const positionIn = async (file: string): Promise<ReadPosition | undefined> => {
  const models = sqliteReadModels({ file, mode: 'reader' });
  const stands = await models.position(0).catch(() => undefined);
  models.close();
  return stands;
};

const withLog = <Result>(file: string, look: (log: LogReader) => Result): Result => {
  const db = openReader(file);
  try {
    return look(logReader(db));
  } finally {
    db.close();
  }
};
