import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { Collection } from 'mongodb';
import type { ReadPosition } from '../read-models.ts';
import type { PositionRow } from './collections.ts';
import { applyMs, eventsTogetherMax } from './limits.ts';
import { type InTransaction, OvertakenTransaction, type TransactionContext } from './transactions.ts';

/** The arguments of `ReadModels.apply` for one partition. */
export type Step = {
  readonly partition: number;
  readonly after: number;
  /** If given, the stored position must be that of this event. */
  readonly afterEvent?: string | undefined;
  readonly events: readonly RecordedEvent[];
  readonly to: ReadPosition;
};

/** Moves the positions of partitions, each from where its step begins to where it ends, and writes the changes of their events, in one
 * transaction. Returns false if a position is not where its step begins, and then changes nothing.
 * @throws ReadModelsUnavailable, what `write` throws */
export type ApplySteps = (steps: readonly Step[], write: (at: TransactionContext) => Promise<void>) => Promise<boolean>;

/** @param begin called in the transaction that creates the first position */
export const createApplySteps = (
  position: Collection<PositionRow>,
  inTransaction: InTransaction,
  begin: (at: TransactionContext) => Promise<void>,
): ApplySteps => {
  const movePositions = createPositionMoves(position, begin);
  return async (steps, write) => {
    let tries = 0;
    return inTransaction(applyMs, async (at) => {
      tries += 1;
      if (!(await movePositions(steps, tries > 1, at))) return false;
      await write(at);
      return true;
    });
  };
};

/** @param begin called in the transaction that creates the first position */
const createPositionMoves = (position: Collection<PositionRow>, begin: (at: TransactionContext) => Promise<void>) => {
  /** Moves the positions before all other writes. Of two concurrent writers one fails here, and a process that deletes the positions
   * conflicts with every open transaction. */
  const moveFrom = async (stored: ReadonlyMap<number, PositionRow>, steps: readonly Step[], at: TransactionContext): Promise<boolean> => {
    if (!steps.every((step) => matchesStored(step, stored))) return false;
    if (stored.size === 0) await begin(at);
    await move(position, steps, stored, at);
    return true;
  };

  /** @param readsFirst whether the stored positions are read first. Without it the positions are moved as the steps state them, which saves
   * a query. That succeeds where the steps are right, which is almost always. */
  return async (steps: readonly Step[], readsFirst: boolean, at: TransactionContext): Promise<boolean> => {
    const matched = readsFirst ? 0 : await moveUnread(position, steps, at);
    if (matched === steps.length) return true;
    if (matched > 0) throw new OvertakenTransaction('Some of the positions have changed.');
    return moveFrom(await positionsOf(position, at), steps, at);
  };
};

/** Checks steps before the database is called.
 * @throws RangeError */
export const checkSteps = (steps: readonly Step[]): void => {
  const partitions = new Set(steps.map(({ partition }) => partition));
  if (partitions.size < steps.length) throw new RangeError('Several steps name the same partition.');
  const events = steps.reduce((sum, step) => sum + step.events.length, 0);
  if (events > eventsTogetherMax) throw new RangeError(`${events} events are too many for one transaction.`);
  for (const { to } of steps) if (!Number.isSafeInteger(to.position)) throw new RangeError(`${to.position} is not a valid position.`);
};

const positionsOf = async (position: Collection<PositionRow>, at: TransactionContext): Promise<ReadonlyMap<number, PositionRow>> => {
  const rows = await position.find({}, at).toArray();
  return new Map(rows.map((row) => [row._id, row]));
};

/** Compares a step with the stored position. A position in another log does not match, and all partitions are of one log. */
const matchesStored = ({ partition, after, afterEvent, to }: Step, stored: ReadonlyMap<number, PositionRow>): boolean => {
  const reached = stored.get(partition);
  if (after !== (reached?.position ?? 0)) return false;
  if (afterEvent !== undefined && afterEvent !== (reached?.event ?? '')) return false;
  return [...stored.values()].every(({ incarnation }) => incarnation === to.incarnation);
};

/** Moves positions by compare-and-set on all their fields. */
const move = async (
  position: Collection<PositionRow>,
  steps: readonly Step[],
  stored: ReadonlyMap<number, PositionRow>,
  at: TransactionContext,
): Promise<void> => {
  const first = steps.filter(({ partition }) => !stored.has(partition));
  const next = steps.filter(({ partition }) => stored.has(partition));
  if (first.length > 0) await position.insertMany(first.map(rowOf), { ordered: false, ...at });
  if (next.length === 0) return;
  const moves = next.map((step) => {
    const { incarnation, event } = stored.get(step.partition) ?? step.to;
    const filter = {
      _id: { $eq: step.partition },
      position: { $eq: step.after },
      incarnation: { $eq: incarnation },
      event: { $eq: event },
    };
    return { updateOne: { filter, update: { $set: { ...step.to } } } };
  });
  const { matchedCount } = await position.bulkWrite(moves, { ordered: false, ...at });
  if (matchedCount !== next.length) throw new OvertakenTransaction('Another process moved a position.');
};

/** Moves positions by compare-and-set on the values that the steps state, without reading them. All partitions remain of one log, because
 * each moves only within its own.
 * @returns the number of positions that matched */
const moveUnread = async (position: Collection<PositionRow>, steps: readonly Step[], at: TransactionContext): Promise<number> => {
  const moves = steps.map(({ partition, after, afterEvent, to }) => {
    const reached = { _id: { $eq: partition }, position: { $eq: after }, incarnation: { $eq: to.incarnation } };
    const filter = afterEvent === undefined ? reached : { ...reached, event: { $eq: afterEvent } };
    return { updateOne: { filter, update: { $set: { ...to } } } };
  });
  return (await position.bulkWrite(moves, { ordered: false, ...at })).matchedCount;
};

const rowOf = ({ partition, to: { incarnation, position, event } }: Step): PositionRow => ({
  _id: partition,
  incarnation,
  position,
  event,
});
