import type { Step } from '@waymark/read-models/mongodb/steps.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { clocksMax } from './limits.ts';

/** The latest times of accounts, in milliseconds since 1970. */
export type AccountClocks = ReadonlyMap<string, number | undefined>;

/** The clocks of accounts after the steps that this process applied last. A step only succeeds at the position where the one before it ended, so
 * they hold then. It saves a query for each account of a batch, which some servers answer by reading all entries of the account. */
export type KnownClocks = {
  /** Returns the clocks that hold if the steps succeed. */
  readonly before: (steps: readonly Step[]) => AccountClocks;
  /** Takes note of clocks of accounts after steps that have succeeded. */
  readonly note: (steps: readonly Step[], clocks: AccountClocks) => void;
};

type Reached = { readonly to: ReadPosition; readonly clocks: AccountClocks };

export const createKnownClocks = (): KnownClocks => {
  const partitions = new Map<number, Reached>();
  const clocksBefore = ({ partition, after, to }: Step): AccountClocks => {
    const reached = partitions.get(partition);
    return reached?.to.position === after && reached.to.incarnation === to.incarnation ? reached.clocks : new Map();
  };
  return {
    before: (steps) => new Map(steps.flatMap((step) => [...clocksBefore(step)])),
    note: (steps, clocks) => {
      for (const step of steps) {
        const kept = new Map(clocksBefore(step));
        for (const account of new Set(step.events.map(({ envelope }) => envelope.account))) {
          // The accounts of the last events come last.
          kept.delete(account);
          if (clocks.has(account)) kept.set(account, clocks.get(account));
        }
        partitions.set(step.partition, { to: step.to, clocks: new Map([...kept].slice(-clocksMax)) });
      }
    },
  };
};
