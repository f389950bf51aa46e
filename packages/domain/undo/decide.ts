import { type Decider, type Decision, happened, refused } from '../decider.ts';
import type { UndoCommand, UndoRefusal } from './commands.ts';
import type { UndoEvent } from './events.ts';
import { evolve, initial, type UndoState } from './state.ts';

/** The lines of one report. */
export const undoLinesMax = 1_000;

export const decide = (undo: UndoState, command: UndoCommand): Decision<UndoEvent, UndoRefusal> => {
  if (command.type === 'StartUndo') {
    return undo.status === 'absent' ? happened({ ...command, type: 'UndoStarted' }) : refused('id-taken');
  }
  if (undo.status !== 'running') return refused('not-running');
  switch (command.type) {
    case 'ReportUndo': {
      const { lines } = command;
      if (lines.length > undoLinesMax) return refused('too-many-lines');
      return lines.length === 0 ? happened() : happened({ type: 'UndoReported', undo: command.undo, lines });
    }
    case 'EndUndo': {
      const { reason } = command;
      return happened({ type: 'UndoEnded', undo: command.undo, outcome: reason === null ? 'done' : 'stopped', reason });
    }
  }
};

/** The types of the aggregate. */
export type Undo = {
  readonly state: UndoState;
  readonly command: UndoCommand;
  readonly event: UndoEvent;
  readonly refusal: UndoRefusal;
};

export const undoDecider: Decider<Undo> = { initial, evolve, decide };
