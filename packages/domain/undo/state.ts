import type { UndoEvent } from './events.ts';

export type UndoState = { readonly status: 'absent' | 'running' | 'ended' };

export const initial: UndoState = { status: 'absent' };

export const evolve = (state: UndoState, event: UndoEvent): UndoState => {
  switch (event.type) {
    case 'UndoStarted':
      return { status: 'running' };
    case 'UndoReported':
      return state;
    case 'UndoEnded':
      return { status: 'ended' };
  }
};
