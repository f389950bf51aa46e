import type { RecordedEvent } from '@waymark/domain/event.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import type { EventLog, Position } from '@waymark/event-log/event-log.ts';
import { createAccountMap } from '@waymark/proof/account-map.ts';
import type { Checkpoint } from '@waymark/proof/checkpoint.ts';
import { eventLeaf } from '@waymark/proof/leaf.ts';
import { createGrowingTree, type GrowingTree } from '@waymark/proof/tree.ts';
import { type ComparableCheckpoint, checkpointsToCompare, type Evidence, named } from './records.ts';

/** The last checkpoint that covers what the log has. */
export type ComparedCheckpoint = {
  readonly origin: string;
  readonly number: number;
  readonly time: string;
  /** The trusted key that signed it. */
  readonly key: string;
  /** Whether published checkpoints were compared, too. If not, a cut end of the log may not be found. */
  readonly published: boolean;
  /** The number of checkpoints that the log was compared with. */
  readonly compared: number;
  /** The events of the history that are younger than the checkpoint, so that nothing covers them yet. */
  readonly younger: number;
};

/** Compares the trees of all accounts, while the log is replayed, with the signed maps of its checkpoints. In memory it has the O(log n) hashes
 * of each account's tree. */
export const createComparison = (
  log: Pick<EventLog, 'read' | 'lastRevisions'>,
  evidence: Evidence,
  end: Position,
  report: (fault: string) => void,
) => {
  const trees = new Map<string, GrowingTree>();
  const checkpoints = checkpointsToCompare(log, evidence, end, report);
  /** The checkpoint that comes next; not known before the first event. */
  let next: ComparableCheckpoint | undefined;
  let isStarted = false;
  const readNext = async (): Promise<void> => {
    isStarted = true;
    next = (await checkpoints.next()).value ?? undefined;
  };
  let [compared, younger] = [0, 0];
  let [matching, different]: [ComparableCheckpoint?, ComparableCheckpoint?] = [];

  const compare = (one: ComparableCheckpoint): void => {
    compared += 1;
    if (!isOf(one.checkpoint.checkpoint, trees)) {
      different ??= one;
      return;
    }
    // The later checkpoint covers all that the earlier one does.
    if (different !== undefined) report(`${different.place}: the position of the checkpoint is wrong.`);
    [matching, different, younger] = [one, undefined, 0];
  };

  const append = (event: RecordedEvent): void => {
    const { account } = event.envelope;
    const tree = trees.get(account) ?? createGrowingTree();
    trees.set(account, tree);
    tree.append(eventLeaf(event));
    younger += 1;
  };

  return {
    /** Adds the next events of the log. */
    add: async (events: readonly RecordedEvent[]): Promise<void> => {
      if (!isStarted) await readNext();
      for (const event of events) {
        for (; next !== undefined && event.position > next.through; await readNext()) compare(next);
        if (isHistory(event.stream)) append(event);
      }
    },
    /** Ends the comparison at the end of the log. */
    end: async (): Promise<ComparedCheckpoint | null> => {
      if (!isStarted) await readNext();
      for (; next !== undefined; await readNext()) compare(next);
      if (different !== undefined) report(changed(different, matching));
      for (const number of evidence.published?.missing ?? []) report(`Checkpoint ${number} is not among the published ones.`);
      if (matching === undefined) return null;
      const { checkpoint, signedBy } = matching.checkpoint;
      const { origin, number, time } = checkpoint;
      const published = (evidence.published?.latest ?? 0) > 0;
      return { origin, number, time, key: signedBy.text, published, compared, younger };
    },
  };
};

const isOf = ({ size, root }: Checkpoint, trees: ReadonlyMap<string, GrowingTree>): boolean => {
  if (size !== trees.size) return false;
  const map = createAccountMap([...trees].map(([account, tree]) => ({ account, size: tree.size(), root: tree.root() })));
  return map.root.equals(root);
};

const changed = ({ checkpoint, through }: ComparableCheckpoint, before: ComparableCheckpoint | undefined): string => {
  const events = `The events up to position ${through} are not those that ${named(checkpoint.checkpoint)} covers.`;
  if (before === undefined) return `${events} There is no earlier checkpoint to compare them with.`;
  return `${events} Those up to position ${before.through} are as ${named(before.checkpoint.checkpoint)} covers them.`;
};
