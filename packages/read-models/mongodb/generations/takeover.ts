import { ReadModelsUnavailable } from '../../read-models.ts';
import { orUnavailable, timeoutOptions } from '../client.ts';
import { callMs } from '../limits.ts';
import type { Namespace } from '../namespace.ts';
import type { InTransaction } from '../transactions.ts';
import type { Control } from './control.ts';

/** Removes another installation's data from the database, in three steps, in this order. Each may be repeated, also by several processes at
 * once. If the takeover is interrupted after the first step, the database is not used until it is finished. All throw
 * ReadModelsUnavailable. */
export type Takeover = {
  /** Withdraws the pointer and names this installation, in one write. From then on the other installation changes nothing. */
  readonly take: () => Promise<void>;
  /** Drops the generations of the other installation, and nothing else in the database, such as files or the data of other applications. */
  readonly drop: () => Promise<void>;
  /** Removes the control data of the other installation, and lets this installation begin. */
  readonly finish: () => Promise<void>;
};

type TakeoverParts = {
  readonly control: Control;
  readonly namespace: Namespace;
  /** The names of the collections of a generation. */
  readonly kinds: readonly string[];
  /** Drops a generation. */
  readonly drop: (name: string) => Promise<void>;
  readonly inTransaction: InTransaction;
  readonly ours: string;
  readonly insteadOf: string;
};

export const createTakeover = ({ control, namespace, kinds, drop, inTransaction, ours, insteadOf }: TakeoverParts): Takeover => ({
  take: async () => {
    if (!(await control.takeOver(ours, insteadOf)))
      throw new ReadModelsUnavailable(`The database does not name installation ${insteadOf}.`);
  },
  drop: async () => {
    const generations = await generationsIn(namespace, kinds);
    // Generations that existed before this query are the other installation's: this one begins none before `finish`.
    const { installation, emptying } = (await control.pointer()) ?? {};
    if (installation !== ours || emptying !== insteadOf) return;
    for (const name of generations) await drop(name);
  },
  finish: () =>
    inTransaction(callMs, async (at) => {
      if (!(await control.begins(ours, insteadOf, at))) return;
      for (const name of controlNames) await namespace.collection(name).deleteMany({}, { ...at });
      await namespace.collection<{ readonly _id: string }>('beats').deleteOne({ _id: { $eq: insteadOf } }, { ...at });
    }),
});

/** The control collections besides the pointer and the beats. */
const controlNames = ['generations', 'fillings', 'readers', 'writers', 'facts'] as const;

const generationsIn = ({ db, prefix }: Namespace, kinds: readonly string[]): Promise<ReadonlySet<string>> =>
  orUnavailable(async () => {
    const ofGeneration = new RegExp(`^(\\d+-[0-9a-f]{16})\\.(${kinds.join('|')})$`);
    const all = await db.listCollections({}, { nameOnly: true, ...timeoutOptions(callMs) }).toArray();
    const names = all.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
    return new Set(names.flatMap((name) => ofGeneration.exec(name)?.[1] ?? []));
  });
