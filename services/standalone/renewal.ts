import { existsSync } from 'node:fs';
import { skipIds } from '@waymark/commands/app.ts';
import { sqliteEventLog } from '@waymark/event-log/sqlite.ts';
import { renewLog } from '@waymark/event-log/sqlite-maintenance.ts';
import { logReader } from '@waymark/event-log/sqlite-reader.ts';
import { openReader } from '@waymark/event-log/sqlite-schema.ts';
import { sqliteReadModels } from '@waymark/read-models/sqlite.ts';
import { type DataDirectory, dropFile } from './data-directory.ts';
import { currentFile } from './generations.ts';
import { matches } from './matching.ts';

/** Whether the log is not the one that the read side was made from although it bears the same name: somebody put an older copy in its
 * place, and what that copy does not know of may have been given out. */
export const wasPutBack = async ({ log: file, readModels }: DataDirectory): Promise<boolean> => {
  const read = currentFile(readModels);
  if (!existsSync(file) || !existsSync(read)) return false;
  const models = sqliteReadModels({ file: read, mode: 'reader' });
  const stands = await models.position(0).catch(() => undefined);
  models.close();
  const db = openReader(file);
  try {
    const log = logReader(db);
    const sameName = stands?.incarnation === log.state().incarnation;
    return stands !== undefined && sameName && !matches(stands, { state: log.state, readAfter: log.after });
  } finally {
    db.close();
  }
};

/** Makes a log that was put back a log of its own: no id, entity tag, cursor or token of what it forgot counts any more.
 * The new name comes last, so that a crash before it is noticed again. */
export const renew = async (logFile: string, tokensFile: string): Promise<void> => {
  dropFile(tokensFile);
  const log = await sqliteEventLog({ file: logFile });
  await skipIds(log);
  await log.close();
  renewLog(logFile);
};
