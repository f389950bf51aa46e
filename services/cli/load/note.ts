import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '@waymark/files/durable.ts';
import { writePrivate } from '@waymark/files/private.ts';
import { keysHoldMs, rowsAheadMax } from '../limits.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import type { Mark } from './ledger.ts';

/** The saved progress of a load. It is stored beside the data, so that the load can be resumed. */
export type Note = Mark & {
  readonly file: string;
  readonly account: string;
  /** The id of the application that the load works as, also after it is resumed: its idempotency keys are its own. Undefined in notes of
   * releases before 0.6.0. */
  readonly application: string | undefined;
  /** The incarnation of the log that was loaded into. A restored log may lack rows that this one had. */
  readonly incarnation: string;
  /** The `Correlation-Id` of all requests of the load, also after it is resumed. */
  readonly correlation: string;
  /** True where that is the id of a changeset. */
  readonly changeset: boolean;
  readonly notedAt: string;
  /** True where rows after the mark may have been sent whose responses were not seen. */
  readonly open: boolean;
};

/** A `Note` in its file. Releases before 0.3.0 wrote neither `correlation` nor `changeset`, those before 0.6.0 no `application`. Stored: never rename. An operator may have edited `row` and `open`. */
type StoredNote = {
  readonly file: string;
  readonly account: string;
  readonly application?: string | undefined;
  readonly incarnation: string;
  readonly correlation?: string;
  readonly changeset?: boolean;
  readonly row: number;
  readonly end: number;
  readonly created: number;
  readonly refused: number;
  readonly notedAt: string;
  readonly open: boolean;
};

const toStored = (note: Note): StoredNote => ({
  file: note.file,
  account: note.account,
  application: note.application,
  incarnation: note.incarnation,
  correlation: note.correlation,
  changeset: note.changeset,
  row: note.row,
  end: note.end,
  created: note.created,
  refused: note.refused,
  notedAt: note.notedAt,
  open: note.open,
});

const fromStored = (stored: StoredNote): Note => ({
  file: stored.file,
  account: stored.account,
  application: stored.application,
  incarnation: stored.incarnation,
  correlation: stored.correlation ?? randomUUID(),
  changeset: stored.changeset ?? false,
  row: stored.row,
  end: stored.end,
  created: stored.created,
  refused: stored.refused,
  notedAt: stored.notedAt,
  open: stored.open,
});

export const unstarted: Mark = { row: 0, end: 0, created: 0, refused: 0 };

/** Returns the file in which the progress of a file's load into an account is saved. */
export const noteFile = (directory: string, digest: string, account: string): string => {
  const into = createHash('sha256').update(account).digest('hex').slice(0, 12);
  return join(directory, 'loads', `${digest}-${into}.json`);
};

export const readNote = async (file: string): Promise<Note | undefined> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : fromStored(JSON.parse(text));
};

/** Writes the note atomically and durably. */
export const writeNote = (file: string, note: Note): void => {
  makeDirectory(dirname(file));
  writePrivate(file, JSON.stringify(toStored(note)));
};

/** Returns the mark to resume at.
 * @throws CommandFailed where it is no longer known */
export const resume = (note: Note | undefined, noted: string, incarnation: string, nowMs: number): Mark => {
  if (note === undefined) return unstarted;
  if (note.incarnation !== incarnation) throw new CommandFailed('refused', restored(note, noted));
  if (note.open && nowMs - Date.parse(note.notedAt) > keysHoldMs) throw new CommandFailed('refused', tooLate(note, noted));
  const { row, end, created, refused } = note;
  return { row, end, created, refused };
};

const restored = ({ row }: Note, noted: string): string =>
  `This file was loaded up to row ${row} before the installation was restored from a backup, which may hold fewer of the rows. ` +
  `Remove ${noted} to load it from its first row.`;

const tooLate = ({ row }: Note, noted: string): string =>
  `This load was interrupted more than a day ago. It is no longer known which of the rows ${row + 1} to ${row + rowsAheadMax} were created after its progress was last ` +
  `saved. Find the last row that was created, write its number as "row" and "open": false into ${noted}, and run the command again.`;
