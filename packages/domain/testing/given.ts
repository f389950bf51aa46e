import { deepStrictEqual } from 'node:assert/strict';
import type { Decider } from '../decider.ts';

/** Tests a decider: given a history, when a command is executed, then it records these events or is refused. All decider tests have this
 * form. */
export const given = <State, Command, Event, Refusal>(decider: Decider<State, Command, Event, Refusal>, history: readonly Event[]) => ({
  when: (command: Command) => {
    const decision = decider.decide(history.reduce(decider.evolve, decider.initial), command);
    return {
      // biome-ignore lint/suspicious/noThenProperty: it reads as a sentence, and it is never awaited
      then: (...events: readonly Event[]) => deepStrictEqual(decision, { outcome: 'happened', events }),
      refuses: (refusal: Refusal) => deepStrictEqual(decision, { outcome: 'refused', refusal }),
    };
  },
});
