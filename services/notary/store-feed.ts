import type { EventWithoutContent } from '@waymark/domain/event.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { AccountRoot } from '@waymark/proof/account-map.ts';
import { type AccountNode, type PlacedLeaf, ProofsUnavailable } from '@waymark/proof-store/proof-store.ts';
import type { Placed } from './account-trees.ts';
import type { ChainedCheckpoint } from './chain.ts';
import { storeStepEvents } from './limits.ts';
import { ReadAgain } from './refused.ts';
import { createStoreSteps, type FilledStore } from './store-steps.ts';

/** Fills the proof store with the trees, as the log is read from its start. The store is derived: while it is unavailable, the notary continues
 * to sign. */
export type StoreFeed = {
  /** Takes an event that was added to its tree. */
  readonly take: (event: EventWithoutContent, placed: Placed) => void;
  /** Adds what was taken, if that is enough for one step.
   * @throws ReadAgain */
  readonly addFull: () => Promise<void>;
  /** Adds what was taken.
   * @throws ReadAgain */
  readonly addRest: () => Promise<void>;
  /** Adds a checkpoint, once all events that it covers were taken.
   * @throws ReadAgain */
  readonly note: (checkpoint: ChainedCheckpoint, grown: readonly AccountRoot[]) => Promise<void>;
  /** Called once the log was read up to its head. Where the store has a checkpoint that the log does not have, it is cleared.
   * @throws ReadAgain */
  readonly complete: () => Promise<void>;
  /** Called at intervals. Where the store was unavailable and is available again, it gets what it lacks.
   * @throws ReadAgain */
  readonly check: () => Promise<void>;
};

/** Opens the store; clears it where it was filled from another log.
 * @param isContinued whether an earlier notary has added all up to the store's position, checkpoints included
 * @param headOf returns the head of the log, which is read after the store's position: another notary may be filling the store */
export const openStoreFeed = async (
  store: FilledStore,
  incarnation: string,
  headOf: () => Promise<Position>,
  isContinued: boolean,
): Promise<StoreFeed> => {
  const present = await unlessUnavailable(() => presentOf(store, incarnation, headOf));
  let position = present?.position ?? 0;
  let latest = isContinued ? undefined : present?.latest;
  let leaves: PlacedLeaf[] = [];
  let nodes: AccountNode[] = [];
  let to = 0;
  const steps = createStoreSteps(store, present !== undefined);

  const addRest = async (): Promise<void> => {
    if (leaves.length === 0) return;
    const growth = { incarnation, after: position, to, leaves, nodes };
    [leaves, nodes, position] = [[], [], to];
    await steps.add({ growth });
  };
  return {
    take: (event, { account, index, complete }) => {
      if (event.position <= position) return;
      leaves.push({ account, index, stream: event.stream, revision: event.revision });
      for (const { level, index: place, hash } of complete) nodes.push({ account, level, index: place, hash });
      to = event.position;
    },
    addFull: async () => {
      if (leaves.length >= storeStepEvents) await addRest();
    },
    addRest,
    note: async ({ checkpoint: { origin, number, key }, note, through }, roots) => {
      await addRest();
      if (latest === undefined) {
        await steps.add({ noted: { checkpoint: { origin, number, note, announces: key !== null, incarnation, through }, roots } });
        return;
      }
      // The store has the checkpoints up to its last one.
      if (latest.origin === origin && latest.number === number) latest = undefined;
    },
    complete: async () => {
      await addRest();
      if (latest === undefined) return;
      await unlessUnavailable(store.clear);
      throw new ReadAgain('The proof store has checkpoints of another log: it is filled again.');
    },
    check: steps.check,
  };
};

type Present = { readonly position: Position; readonly latest?: { readonly origin: string; readonly number: number } | undefined };

/** Returns what the store has of this log. */
const presentOf = async (store: FilledStore, incarnation: string, headOf: () => Promise<Position>): Promise<Present> => {
  const kept = await store.position();
  if (kept !== undefined && (kept.incarnation !== incarnation || kept.position > (await headOf()))) {
    await store.clear();
    return { position: 0 };
  }
  return kept === undefined ? { position: 0 } : { position: kept.position, latest: await store.latest() };
};

const unlessUnavailable = async <Result>(step: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ProofsUnavailable) return undefined;
    throw error;
  }
};
