import { loggedCheckpointIn } from '@waymark/checkpoints/logged.ts';
import type { CheckpointPlace } from '@waymark/checkpoints/place.ts';
import type { KnownCheckpoint, NotaryRecord } from '@waymark/checkpoints/record.ts';
import type { EventWithoutContent } from '@waymark/domain/event.ts';
import { checkpointsStream, isHistory } from '@waymark/domain/streams.ts';
import type { LogState, Position, Revision } from '@waymark/event-log/event-log.ts';
import { readEnd, type StreamEnd } from '@waymark/event-log/read-stream.ts';
import type { AccountRoot } from '@waymark/proof/account-map.ts';
import { type FinalCheckpoint, originOf } from '@waymark/proof/checkpoint.ts';
import { type AccountTrees, createAccountTrees } from './account-trees.ts';
import { type ChainedCheckpoint, createChain } from './chain.ts';
import { type EarlierNotary, lastOf } from './earlier.ts';
import { type NotaryKeys, notaryKeys } from './keys.ts';
import type { NotaryPorts } from './ports.ts';
import { anotherHasSigned, LogContradicts } from './refused.ts';
import { decideStart } from './start.ts';
import { openStoreFeed, type StoreFeed } from './store-feed.ts';
import type { FilledStore } from './store-steps.ts';
import { witnessesOf } from './witnesses.ts';

/** A notary's view of one log, which it reads from the start. */
export type Session = {
  readonly state: LogState;
  /** Whether it continues where an earlier notary ended. */
  readonly isContinued: boolean;
  readonly origin: string;
  readonly keys: NotaryKeys;
  readonly trees: AccountTrees;
  readonly feed: StoreFeed;
  /** Takes the next events of the log.
   * @throws ReadAgain */
  readonly take: (events: readonly EventWithoutContent[]) => Promise<void>;
  /** Returns the position up to which the log was taken, and that of the last event of a tree. */
  readonly position: () => Position;
  readonly through: () => Position;
  /** Compares the log, which was taken up to its head, with what was signed, once. Only after it may be signed.
   * @throws SigningRefused, ReadAgain */
  readonly complete: () => Promise<void>;
  /** Returns the last checkpoint that the place must have: not one of a former origin whose later checkpoints the log has lost. */
  readonly published: () => ChainedCheckpoint | undefined;
  /** Returns the last checkpoint of the log; undefined where there is none. */
  readonly last: () => ChainedCheckpoint | undefined;
  /** Takes a checkpoint that was signed and appended. */
  readonly signed: (checkpoint: ChainedCheckpoint) => void;
  /** Returns the checkpoint that the first one of this origin continues. */
  readonly continues: () => FinalCheckpoint | null;
  /** Returns the last revision of the stream of checkpoints. */
  readonly revision: () => Revision;
  /** Returns what a later notary needs to continue; undefined while something is not compared, not signed, or not in the proof store. */
  readonly handover: () => Omit<EarlierNotary, 'status'> | undefined;
};

export type SessionPorts = Pick<NotaryPorts, 'log' | 'seeds' | 'beginning' | 'keepVerifierKeys'> & {
  readonly record: NotaryRecord;
  readonly place: CheckpointPlace | undefined;
  readonly store: FilledStore;
};

/** Begins to read a log, or continues where an earlier notary ended. Long because its functions share what was read so far.
 * @throws SigningRefused, the errors of the ports */
export const beginSession = async (ports: SessionPorts, earlier?: EarlierNotary): Promise<Session> => {
  const { log, record, place, store, beginning } = ports;
  const { installation, incarnation } = await log.state();
  const origin = originOf(installation, incarnation);
  const keys = notaryKeys(installation, ports.seeds());
  const end = await readEnd(log, checkpointsStream);
  const loggedOrigin = originIn(end);
  const trusted = [...keys.verifierKeys, ...record.keys()];
  const witnesses = await witnessesOf(record, place, { origin, loggedOrigin, trusted });
  const chain = createChain(log.read, trusted);
  const lastBefore = earlier && (await lastOf(earlier, { incarnation, end, keys: trusted, record, store }));
  const before = lastBefore && earlier;
  const feed = await openStoreFeed(store, incarnation, async () => (await log.state()).head, before !== undefined);
  // The log has what another notary has published, and added to the proof store, by now: the head is read last.
  const { head } = await log.state();
  const trees = before === undefined ? createAccountTrees(record.roots()) : createAccountTrees([], before.trees);
  for (const key of keys.verifierKeys) record.keepKey(key);
  ports.keepVerifierKeys(keys.verifierKeys);

  let { revision } = end;
  let { position, through } = before ?? { position: 0, through: 0 };
  let next = before === undefined ? await chain.peek() : undefined;
  let last = lastBefore;
  let atLast: { readonly isMet: boolean; readonly roots: readonly AccountRoot[] } = { isMet: false, roots: [] };
  let continues: FinalCheckpoint | null = null;
  let isBegun = false;
  let isComplete = before !== undefined;

  const pass = async (checkpoint: ChainedCheckpoint): Promise<void> => {
    await feed.note(checkpoint, await trees.takeGrown());
    witnesses.see(known(checkpoint));
    last = checkpoint;
    chain.pass();
    next = await chain.peek();
    if (next === undefined) atLast = { isMet: await isMet(checkpoint, trees), roots: await trees.roots() };
  };
  /** Passes the checkpoints that cover only events up to a position. */
  const passThrough = async (covered: Position): Promise<void> => {
    while (next !== undefined && next.through <= covered) await pass(next);
  };
  const takeOne = (event: EventWithoutContent): void => {
    position = event.position;
    if (event.stream === checkpointsStream && event.revision > nothingIs(revision)) throw anotherHasSigned();
    if (!isHistory(event.stream)) return;
    feed.take(event, trees.add(event));
    through = event.position;
  };
  return {
    ...{ state: { installation, incarnation, head }, isContinued: before !== undefined, origin, keys, trees, feed },
    take: async (events) => {
      for (const event of events) {
        if (next !== undefined && next.through < event.position) await passThrough(event.position - 1);
        takeOne(event);
      }
      await feed.addFull();
      await passThrough(position);
    },
    complete: async () => {
      if (isComplete) return;
      const start = decideStart({
        ...{ origin, loggedOrigin, fault: chain.fault() },
        last: last && { ...known(last), isMet: atLast.isMet },
        witnesses: witnesses.found(),
        contradiction: trees.contradiction(),
        isBeginning: beginning.isOrdered(),
      });
      if (start.kind === 'refuse') throw new LogContradicts(start.reason);
      if (start.kind === 'first') ({ continues, isBegun } = start);
      else if (last !== undefined && record.last()?.digest !== last.digest) record.replace(known(last), atLast.roots);
      atLast = { ...atLast, roots: [] };
      await feed.complete();
      isComplete = true;
    },
    position: () => position,
    through: () => through,
    published: () => (isBegun && last?.checkpoint.origin !== origin ? undefined : last),
    last: () => last,
    signed: (checkpoint) => {
      last = checkpoint;
      revision = checkpoint.revision;
    },
    continues: () => continues,
    revision: () => revision,
    handover: () => {
      if (!isComplete || last?.checkpoint.origin !== origin || trees.hasGrown()) return undefined;
      return { incarnation, position, through, digest: last.digest, trees: trees.kept() };
    },
  };
};

const originIn = ({ event }: StreamEnd): string | undefined => event && loggedCheckpointIn(event)?.note.split('\n', 1)[0];

/** Returns what the notary's record keeps of a checkpoint. */
export const known = ({ checkpoint: { origin, number }, digest, note }: ChainedCheckpoint): KnownCheckpoint => ({
  origin,
  number,
  digest,
  note,
});

const isMet = async ({ checkpoint }: ChainedCheckpoint, trees: AccountTrees): Promise<boolean> => {
  const { size, root } = await trees.mapRoot();
  return size === checkpoint.size && root.equals(checkpoint.root);
};

const nothingIs = (revision: Revision): number => (revision === 'none' ? -1 : revision);
