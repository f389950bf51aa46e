import type { AccountRoot } from '@waymark/proof/account-map.ts';
import { type Growth, type ProofStore, ProofsUnavailable, type SignedCheckpoint } from '@waymark/proof-store/proof-store.ts';
import { keptForStoreMax, otherNotaryIntervals } from './limits.ts';
import { ReadAgain } from './refused.ts';

export type FilledStore = Pick<ProofStore, 'position' | 'apply' | 'noteCheckpoint' | 'clear' | 'latest'>;

/** What the proof store gets from the notary: what the trees have got by some events, or a checkpoint with the roots that have changed. */
export type StoreStep =
  | { readonly growth: Growth }
  | { readonly noted: { readonly checkpoint: SignedCheckpoint; readonly roots: readonly AccountRoot[] } };

/** Gives steps to the proof store in their order. What it lacks because it is unavailable is kept for it, up to a limit. */
export type StoreSteps = {
  /** Adds a step after those before.
   * @throws ReadAgain where another process has changed the store */
  readonly add: (step: StoreStep) => Promise<void>;
  /** Called at intervals. Where the store was unavailable and is available again, it gets what was kept.
   * @throws ReadAgain where that does not suffice, the store was emptied, or another process has changed it */
  readonly check: () => Promise<void>;
};

/** @param isKnown whether it is known up to which position the store has the trees. Otherwise nothing is kept.
 *
 * Long because its functions share what is kept. */
export const createStoreSteps = (store: FilledStore, isKnown: boolean): StoreSteps => {
  let isComplete = isKnown;
  let isAvailable = isKnown;
  let isFilled = false;
  let kept: StoreStep[] = [];
  let keptEvents = 0;

  const dropFirst = (): void => {
    const first = kept.shift();
    if (first !== undefined) keptEvents -= eventsOf(first);
  };
  /** Asks the store. Nothing more is asked until the next check where it is unavailable. */
  const ask = async (question: () => Promise<void>): Promise<void> => {
    try {
      await question();
    } catch (error) {
      if (!(error instanceof ProofsUnavailable)) throw error;
      isAvailable = false;
    }
  };
  const giveKept = async (): Promise<void> => {
    for (let first = kept[0]; first !== undefined; first = kept[0]) {
      if (!(await give(store, first))) throw new ReadAgain('Another process has changed the proof store.', otherNotaryIntervals);
      dropFirst();
    }
  };
  /** A reader that finds damage removes the store. Without new events, nothing else shows it. */
  const confirmFilled = async (): Promise<void> => {
    const wasFilled = isFilled;
    isFilled = (await store.position()) !== undefined;
    if (wasFilled && !isFilled) throw new ReadAgain('The proof store is empty: it is filled.');
  };
  return {
    add: async (step) => {
      if (!isComplete) return;
      kept.push(step);
      keptEvents += eventsOf(step);
      if (isAvailable) await ask(giveKept);
      if (keptEvents > keptForStoreMax) [kept, keptEvents, isComplete] = [[], 0, false];
    },
    check: async () => {
      if (isAvailable) return ask(confirmFilled);
      isAvailable = true;
      await ask(async () => {
        const [first] = kept;
        // What failed may have been stored.
        const hasFirst = await hasStep(store, first);
        if (!isComplete) throw new ReadAgain('The proof store is available again: it is filled.');
        if (hasFirst) dropFirst();
        await giveKept();
      });
    },
  };
};

const give = (store: FilledStore, step: StoreStep): Promise<boolean> =>
  'growth' in step ? store.apply(step.growth) : store.noteCheckpoint(step.noted.checkpoint, step.noted.roots);

/** Returns whether the last step that the store has got is this one. */
const hasStep = async (store: FilledStore, step: StoreStep | undefined): Promise<boolean> => {
  if (step !== undefined && 'noted' in step) {
    const { origin, number } = step.noted.checkpoint;
    const latest = await store.latest();
    return latest?.origin === origin && latest.number === number;
  }
  const kept = await store.position();
  return step !== undefined && kept?.incarnation === step.growth.incarnation && kept.position === step.growth.to;
};

/** A checkpoint counts as one event: it covers at least one that none before covers. */
const eventsOf = (step: StoreStep): number => ('growth' in step ? step.growth.leaves.length : 1);
