import { deepStrictEqual } from 'node:assert/strict';
import type { Decider } from '../decider.ts';

/** Given what happened, when this is asked for, then that happens or is refused: the sentence of every decider test. */
export const given = <State, Command, Event, Refusal>(decider: Decider<State, Command, Event, Refusal>, history: readonly Event[]) => ({
  when: (command: Command) => {
    const decision = decider.decide(history.reduce(decider.evolve, decider.initial), command);
    return {
      // biome-ignore lint/suspicious/noThenProperty: it reads as a sentence, and nobody awaits it
      then: (...events: readonly Event[]) => deepStrictEqual(decision, { outcome: 'happened', events }),
      refuses: (refusal: Refusal) => deepStrictEqual(decision, { outcome: 'refused', refusal }),
    };
  },
});
