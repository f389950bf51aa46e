import type { SharedState } from './shared-state.ts';

/** Calls listeners of this thread when the log or its follower has moved. */
export type Moves = {
  /** Adds a listener. The writer reports moves only from then on, so the caller compares the position once more afterwards.
   * @returns a function that removes the listener */
  readonly listen: (listener: () => void) => () => void;
  /** Calls the listeners. */
  readonly notify: () => void;
};

export const createMoves = ({ addListening }: SharedState): Moves => {
  const listeners = new Set<() => void>();
  return {
    listen: (listener) => {
      if (listeners.size === 0) addListening(1);
      listeners.add(listener);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) addListening(-1);
      };
    },
    notify: () => {
      for (const listener of [...listeners]) listener();
    },
  };
};
