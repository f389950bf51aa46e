import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  connectSqliteEventLog,
  type OwnedSqliteEventLog,
  openSqliteEventLog,
  type SqliteEventLog,
  type SqliteEventLogOptions,
} from '../sqlite/event-log.ts';

/** Opens a log in a folder of its own, which is removed when the log is closed. */
export const logOfItsOwn = async (options: Partial<SqliteEventLogOptions> = {}): Promise<OwnedSqliteEventLog> => {
  const folder = newFolder();
  const log = await openSqliteEventLog({ file: join(folder, 'log.db'), ...options });
  const close = async (): Promise<void> => {
    await log.close();
    rmSync(folder, { recursive: true });
  };
  return { ...log, close };
};

/** Opens a log as `logOfItsOwn` does, and returns it as a connected thread sees it. */
export const connectedLogOfItsOwn = async (options: Partial<SqliteEventLogOptions> = {}): Promise<SqliteEventLog> => {
  const owner = await logOfItsOwn(options);
  const log = connectSqliteEventLog(owner.connection());
  const close = async (): Promise<void> => {
    await log.close();
    await owner.close();
  };
  return { ...log, close };
};

/** Opens logs in a folder of the test's own, closed and removed after it. */
export const temporaryLogs = () => {
  let folder = '';
  const logs: SqliteEventLog[] = [];
  beforeEach(() => {
    folder = newFolder();
  });
  afterEach(async () => {
    await Promise.all(logs.splice(0).map((log) => log.close()));
    rmSync(folder, { recursive: true });
  });
  const file = (name = 'log.db'): string => join(folder, name);
  const open = async (options: Partial<SqliteEventLogOptions> = {}): Promise<OwnedSqliteEventLog> => {
    const log = await openSqliteEventLog({ file: file(), ...options });
    logs.push(log);
    return log;
  };
  return { file, open };
};

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'waymark-event-log-'));
