import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { sealHousekeeping, waymark } from '@waymark/event-log/seal.ts';

/** How far a job is. */
export type UndoProgress = {
  /** The number of changes to undo, and of their objects; null until all are found. */
  readonly changes: number | null;
  readonly objects: number | null;
  /** The number of objects that were undone, undone in part, or kept as they are. */
  readonly undone: number;
  readonly partly: number;
  readonly kept: number;
  /** The times of the first and of the last of the changes; null: none. */
  readonly first: string | null;
  readonly last: string | null;
  /** The applications that made them; `operator` for operators. */
  readonly applications: readonly string[];
};

/** A note of the process that runs a job. `holder`: a random name of the run, which ends a time after the note unless another note follows;
 * null: no process runs the job. Stored: never rename a field. */
export type UndoNote = { readonly holder: string | null; readonly progress: UndoProgress };

export const noProgress: UndoProgress = {
  ...{ changes: null, objects: null, undone: 0, partly: 0, kept: 0 },
  ...{ first: null, last: null, applications: [] },
};

export const sealUndoNote = (note: UndoNote): NewEvent =>
  sealHousekeeping({ type: 'UndoProgressed', version: 1, content: note, origin: waymark });

export const undoNoteIn = ({ content }: RecordedEvent): UndoNote | undefined => (content === null ? undefined : JSON.parse(content));
