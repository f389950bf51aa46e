import type { UndoEvent, UndoLine } from './events.ts';

export type UndoCommand =
  | (Omit<Extract<UndoEvent, { type: 'UndoStarted' }>, 'type'> & { readonly type: 'StartUndo' })
  | { readonly type: 'ReportUndo'; readonly undo: string; readonly lines: readonly UndoLine[] }
  /** `reason`: a code that says why the job stops; null if it is done. */
  | { readonly type: 'EndUndo'; readonly undo: string; readonly reason: string | null };

export type UndoRefusal = 'id-taken' | 'not-running' | 'too-many-lines';
