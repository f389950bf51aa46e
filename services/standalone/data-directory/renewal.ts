import { existsSync } from 'node:fs';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { type HighestIds, highestOf, noIds } from '@waymark/event-log/facts/facts.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { factsIn } from '@waymark/event-log/sqlite/facts.ts';
import { type LogReader, openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { readReservedIds } from '@waymark/event-log/sqlite/reserved-ids.ts';
import { isDamaged } from '@waymark/files/damaged.ts';
import { renew } from '@waymark/operations/renew.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { openSqliteReadModels, sqliteHighestIds } from '@waymark/read-models/sqlite/read-models.ts';
import { currentFile } from '../read-side/generations.ts';
import { isSameLog } from '../read-side/same-log.ts';
import { type DataDirectory, dropFile } from './data-directory.ts';

/** What shows that the log of a data directory was replaced by an older copy, removed, or cut by a fault of the disk. */
export type Rollback = {
  /** The position of the last event that the log has. */
  readonly logEndsAt: number;
  /** The position of the last event that the read models or the stored facts know, maybe of another log. */
  readonly knownUpTo: number;
};

/** Returns how the log differs from the one that the read models or the stored facts belong to: ids that it does not know may have been
 * assigned. Returns undefined if it is the same. */
export const rollbackOf = async ({ log: file, facts, readModels }: DataDirectory): Promise<Rollback | undefined> => {
  const known = [factsPositionIn(facts), await positionIn(currentFile(readModels))].filter((position) => position !== undefined);
  if (known.length === 0) return undefined;
  const knownUpTo = Math.max(...known.map(({ position }) => position));
  if (!existsSync(file)) return { logEndsAt: 0, knownUpTo };
  return withLog(file, ({ state, after }) =>
    known.every((position) => isSameLog(position, { state, readAfter: after })) ? undefined : { logEndsAt: state().head, knownUpTo },
  );
};

const factsPositionIn = (file: string): ReadPosition | undefined => {
  const facts = factsIn(file);
  return facts && { incarnation: facts.incarnation, position: facts.head, event: facts.event };
};

/** Renews the log in a file that no process has open. Its tokens are deleted. The stored facts are not changed, so that the next start
 * detects a crash before the new incarnation. */
export const renewClosedLog = async (logFile: string, tokensFile: string, known: HighestIds): Promise<void> => {
  dropFile(tokensFile);
  const log = await openSqliteEventLog({ file: logFile });
  try {
    await renew({
      log,
      renewIncarnation: log.renewIncarnation,
      knownFacts: async () => [],
      shownIds: async () => known,
      writes: { closed: async () => true },
    });
  } finally {
    await log.close();
  }
};

/** Returns the highest ids that were assigned, according to the log, the read models and the stored facts of a data directory, as far as
 * they can be read. */
export const highestIds = ({ log, facts, readModels }: DataDirectory): HighestIds => {
  const reserved = known(() => (existsSync(log) ? withLog(log, readReservedIds) : noIds));
  const shown = known(() => sqliteHighestIds(currentFile(readModels)));
  return highestOf(highestOf(reserved, shown), factsIn(facts)?.ids ?? noIds);
};

/** Returns no ids if the source is damaged. */
const known = (look: () => HighestIds): HighestIds => {
  try {
    return look();
  } catch {
    return noIds;
  }
};

const positionIn = async (file: string): Promise<ReadPosition | undefined> => {
  const models = openSqliteReadModels({ file, mode: 'reader' });
  const position = await models.position(0).catch(() => undefined);
  models.close();
  return position;
};

/** @throws LogUnavailable if the log is damaged where it is read */
const withLog = <Result>(file: string, look: (log: LogReader) => Result): Result => {
  try {
    const { reader, close } = openLogReader(file);
    try {
      return look(reader);
    } finally {
      close();
    }
  } catch (error) {
    if (!isDamaged(error)) throw error;
    throw new LogUnavailable(`${file} is damaged: restore a backup.`, { cause: error });
  }
};
