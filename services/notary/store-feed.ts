import type { EventWithoutContent } from '@waymark/domain/event.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { AccountRoot } from '@waymark/proof/account-map.ts';
import { type AccountNode, type PlacedLeaf, type ProofStore, ProofsUnavailable } from '@waymark/proof-store/proof-store.ts';
import type { Placed } from './account-trees.ts';
import type { ChainedCheckpoint } from './chain.ts';
import { otherNotaryIntervals } from './limits.ts';
import { ReadAgain } from './refused.ts';

export type FilledStore = Pick<ProofStore, 'position' | 'apply' | 'noteCheckpoint' | 'clear' | 'latest'>;

/** Fills the proof store with the trees, as the log is read from its start. The store is derived: while it is unavailable, the notary continues
 * to sign. */
export type StoreFeed = {
  /** The position up to which the store has the trees. A batch that passes it is split there. */
  readonly position: () => Position;
  /** Takes an event that was added to its tree. */
  readonly take: (event: EventWithoutContent, placed: Placed) => void;
  /** Applies what was taken. */
  readonly flush: () => Promise<void>;
  /** Adds a checkpoint, once all events that it covers were taken. */
  readonly note: (checkpoint: ChainedCheckpoint, grown: readonly AccountRoot[]) => Promise<void>;
  /** Called once the log was read up to its head. Where the store has a checkpoint that the log does not have, it is cleared.
   * @throws ReadAgain */
  readonly complete: () => Promise<void>;
  /** Called at intervals. Where the store was unavailable and is available again, the log is read again.
   * @throws ReadAgain */
  readonly check: () => Promise<void>;
};

/** Opens the store; clears it where it was filled from another log.
 * @param headOf returns the head of the log, which is read after the store's position: another notary may be filling the store
 *
 * Long because its functions share what was taken so far. */
export const openStoreFeed = async (store: FilledStore, incarnation: string, headOf: () => Promise<Position>): Promise<StoreFeed> => {
  let isAttached = true;
  let position = 0;
  let latest: { readonly origin: string; readonly number: number } | undefined;
  let leaves: PlacedLeaf[] = [];
  let nodes: AccountNode[] = [];
  let to = 0;

  /** Runs a step of the store unless it is detached. Returns undefined where it is. */
  const attached = async <Result>(step: () => Promise<Result>): Promise<Result | undefined> => {
    if (!isAttached) return undefined;
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ProofsUnavailable)) throw error;
      isAttached = false;
      return undefined;
    }
  };
  await attached(async () => {
    const kept = await store.position();
    if (kept !== undefined && (kept.incarnation !== incarnation || kept.position > (await headOf()))) await store.clear();
    else position = kept?.position ?? 0;
    latest = position === 0 ? undefined : await store.latest();
  });

  const moved = (): never => {
    throw new ReadAgain('Another process has changed the proof store.', otherNotaryIntervals);
  };
  const flush = async (): Promise<void> => {
    const growth = { incarnation, after: position, to, leaves, nodes };
    [leaves, nodes] = [[], []];
    if (growth.leaves.length === 0) return;
    const isApplied = await attached(() => store.apply(growth));
    if (isApplied === false) moved();
    if (isApplied === true) position = growth.to;
  };
  return {
    position: () => position,
    take: (event, { account, index, complete }) => {
      if (!isAttached || event.position <= position) return;
      leaves.push({ account, index, stream: event.stream, revision: event.revision });
      for (const { level, index: place, hash } of complete) nodes.push({ account, level, index: place, hash });
      to = event.position;
    },
    flush,
    note: async ({ checkpoint, note, through }, grown) => {
      const { origin, number, key } = checkpoint;
      await flush();
      if (latest !== undefined) {
        // The store has the checkpoints up to its last one.
        if (latest.origin === origin && latest.number === number) latest = undefined;
        return;
      }
      const isNoted = await attached(() =>
        store.noteCheckpoint({ origin, number, note, announces: key !== null, incarnation, through }, grown),
      );
      if (isNoted === false) moved();
    },
    complete: async () => {
      await flush();
      if (latest === undefined) return;
      await attached(store.clear);
      throw new ReadAgain('The proof store has checkpoints of another log: it is filled again.');
    },
    check: async () => {
      if (isAttached) return;
      const isAvailable = await store.position().then(
        () => true,
        () => false,
      );
      if (isAvailable) throw new ReadAgain('The proof store is available again: it is filled.');
    },
  };
};
