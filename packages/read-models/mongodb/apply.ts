import type { RecordedEvent } from '@waymark/domain/event.ts';
import { resourceKinds } from '@waymark/domain/streams.ts';
import { createChangeBuffer } from '../projection/buffer.ts';
import type { Change, Fact } from '../projection/change.ts';
import { type ContradictoryEvent, factOf, project } from '../projection/projection.ts';
import type { ReadPosition } from '../read-models.ts';
import { applicationMarker, type Collections, documentMarker, memberMarker, type PositionRow } from './collections.ts';
import { applyMs, eventsTogetherMax } from './limits.ts';
import { readLookups } from './lookups.ts';
import { type InTransaction, OvertakenTransaction, type TransactionContext } from './transactions.ts';
import { collectedWrites } from './writes.ts';

/** The arguments of `ReadModels.apply` for one partition. */
export type Step = {
  readonly partition: number;
  readonly after: number;
  /** If given, the stored position must be that of this event. */
  readonly afterEvent?: string | undefined;
  readonly events: readonly RecordedEvent[];
  readonly to: ReadPosition;
};

/** Creates the function that applies steps. `begin` is called in the transaction that creates the first position of the generation. */
export const createApply = (
  collections: Collections,
  inTransaction: InTransaction,
  begin: (at: TransactionContext) => Promise<void>,
  contradicted?: ContradictoryEvent,
) => {
  /** Moves the positions before all other writes. Of two concurrent writers one fails here, and a process that deletes the positions
   * conflicts with every open transaction. */
  const moveFrom = async (stored: ReadonlyMap<number, PositionRow>, steps: readonly Step[], at: TransactionContext): Promise<boolean> => {
    if (!steps.every((step) => matchesStored(step, stored))) return false;
    if (stored.size === 0) {
      await begin(at);
      await mark(collections, at);
    }
    await move(collections, steps, stored, at);
    return true;
  };

  /** @param readsFirst whether the stored positions are read first. Without it the positions are moved as the steps state them, which saves
   * a query. That succeeds where the steps are right, which is almost always. */
  const movePositions = async (steps: readonly Step[], readsFirst: boolean, at: TransactionContext): Promise<boolean> => {
    const matched = readsFirst ? 0 : await moveUnread(collections, steps, at);
    if (matched === steps.length) return true;
    if (matched > 0) throw new OvertakenTransaction('Some of the positions have changed.');
    return moveFrom(await positionsOf(collections, at), steps, at);
  };

  const applyAll = async (
    steps: readonly Step[],
    facts: readonly Fact[],
    readsFirst: boolean,
    at: TransactionContext,
  ): Promise<boolean> => {
    if (!(await movePositions(steps, readsFirst, at))) return false;
    const writes = collectedWrites();
    const looked = await readLookups(collections, facts, at);
    const write = (change: Change): void => {
      looked.note(change);
      writes.take(change);
    };
    const store = createChangeBuffer({ lookup: looked.lookup, write });
    for (const fact of facts) for (const change of project(fact, store.lookup)) store.write(change);
    store.flush();
    await writes.write(collections, at);
    return true;
  };

  return async (steps: readonly Step[]): Promise<boolean> => {
    check(steps);
    const facts = factsIn(steps, contradicted);
    if (steps.length === 0) return true;
    let tries = 0;
    return inTransaction(applyMs, (at) => {
      tries += 1;
      return applyAll(steps, facts, tries > 1, at);
    });
  };
};

const factsIn = (steps: readonly Step[], contradicted: ContradictoryEvent | undefined): readonly Fact[] => {
  const facts: Fact[] = [];
  for (const { events } of steps) {
    for (const event of events) {
      const fact = factOf(event, contradicted);
      if (fact !== undefined) facts.push(fact);
    }
  }
  return facts;
};

const check = (steps: readonly Step[]): void => {
  const partitions = new Set(steps.map(({ partition }) => partition));
  if (partitions.size < steps.length) throw new RangeError('Several steps name the same partition.');
  const events = steps.reduce((sum, step) => sum + step.events.length, 0);
  if (events > eventsTogetherMax) throw new RangeError(`${events} events are too many for one transaction.`);
  for (const { to } of steps) if (!Number.isSafeInteger(to.position)) throw new RangeError(`${to.position} is not a valid position.`);
};

const positionsOf = async ({ position }: Collections, at: TransactionContext): Promise<ReadonlyMap<number, PositionRow>> => {
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

const mark = async (collections: Collections, at: TransactionContext): Promise<void> => {
  const { member, application } = collections;
  for (const kind of resourceKinds) await collections[kind].insertOne(documentMarker, { ...at });
  await member.insertOne(memberMarker, { ...at });
  await application.insertOne(applicationMarker, { ...at });
};

/** Moves positions by compare-and-set on all their fields. */
const move = async (
  { position }: Collections,
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
const moveUnread = async ({ position }: Collections, steps: readonly Step[], at: TransactionContext): Promise<number> => {
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
