import { deepStrictEqual } from 'node:assert/strict';
import type { AggregateTypes, Decider } from '../decider.ts';

/** Tests a decider: given a history, when a command is executed, then it records these events or is refused. All decider tests have this
 * form. */
export const given = <Of extends AggregateTypes>(decider: Decider<Of>, history: readonly Of['event'][]) => ({
  when: (command: Of['command']) => {
    const decision = decider.decide(history.reduce(decider.evolve, decider.initial), command);
    return {
      // biome-ignore lint/suspicious/noThenProperty: it reads as a sentence, and it is never awaited
      then: (...events: readonly Of['event'][]) => deepStrictEqual(decision, { outcome: 'happened', events }),
      refuses: (refusal: Of['refusal']) => deepStrictEqual(decision, { outcome: 'refused', refusal }),
    };
  },
});
