import type { NotaryRecord } from '@waymark/checkpoints/record.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { StreamEnd } from '@waymark/event-log/read-stream.ts';
import { ProofsUnavailable } from '@waymark/proof-store/proof-store.ts';
import type { KeptTree } from './account-trees.ts';
import { type ChainedCheckpoint, chainedIn } from './chain.ts';
import type { NotaryStatus } from './status.ts';
import type { FilledStore } from './store-steps.ts';

/** What a notary knows of a log when it ends, so that a later one of the same process continues from there instead of reading the log again. It
 * is kept in memory only, because a notary does not believe what others could have changed. It can be cloned to another thread. */
export type EarlierNotary = {
  readonly incarnation: string;
  /** The position up to which the log was read, and that of the last event of a tree. */
  readonly position: Position;
  readonly through: Position;
  /** The digest of the last checkpoint, which covers all events of the trees. */
  readonly digest: string;
  readonly trees: readonly KeptTree[];
  /** What the notary reported last. */
  readonly status: NotaryStatus;
};

type Now = {
  readonly incarnation: string;
  /** The end of the stream of checkpoints. */
  readonly end: StreamEnd;
  /** The verifier keys to trust. */
  readonly keys: readonly string[];
  readonly record: Pick<NotaryRecord, 'last'>;
  readonly store: Pick<FilledStore, 'position' | 'latest'>;
};

/** Returns the last checkpoint if the log, the notary's record and the proof store have the state that an earlier notary left, apart from later
 * events; otherwise undefined. */
export const lastOf = async (
  earlier: EarlierNotary,
  { incarnation, end, keys, record, store }: Now,
): Promise<ChainedCheckpoint | undefined> => {
  if (earlier.incarnation !== incarnation || end.event === undefined) return undefined;
  const last = chainedIn(end.event, keys);
  if (typeof last === 'string' || last.digest !== earlier.digest || record.last()?.digest !== earlier.digest) return undefined;
  return (await isFilled(store, earlier, last)) ? last : undefined;
};

const isFilled = async (
  store: Now['store'],
  { incarnation, through }: EarlierNotary,
  { checkpoint }: ChainedCheckpoint,
): Promise<boolean> => {
  try {
    const [reached, latest] = [await store.position(), await store.latest()];
    const hasEvents = reached?.incarnation === incarnation && reached.position === through;
    return hasEvents && latest?.origin === checkpoint.origin && latest.number === checkpoint.number;
  } catch (error) {
    if (error instanceof ProofsUnavailable) return false;
    throw error;
  }
};
