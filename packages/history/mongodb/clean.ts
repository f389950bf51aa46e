import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import { callMs } from '@waymark/read-models/mongodb/limits.ts';
import type { InTransaction, TransactionContext } from '@waymark/read-models/mongodb/transactions.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import type { ErasureMark } from '../entries.ts';
import { isOfErased, type Restatement, restatedAt, restatementTypes } from '../restatements.ts';
import { type Collections, type EntryRow, goesOn, type IntervalRow, type RelationRow } from './collections.ts';
import { shareGrowth, shareMin, stepRows, valueRows } from './limits.ts';
import { markOf } from './rows.ts';

/** Deletes what erasures have left, in steps: each is a short transaction. Afterwards the rows equal those of a history that never saw the
 * erased content. Several processes may do so at once, and each step may be repeated. It yields after each step, also the error of one that
 * failed: such a step is repeated when the caller continues. */
export async function* mongoCleaning(collections: Collections, writing: InTransaction): Steps<void> {
  const step = createStep(writing);
  for (;;) {
    const row = yield* step((at) => collections.mark.findOne({ clean: { $eq: false } }, { sort: { _id: 1 }, ...at }));
    if (row === null) return;
    const mark = markOf(row);
    yield* cleanValues(collections, mark, step);
    yield* cleanIntervals(collections, mark, step);
    // Not if another erasure has begun meanwhile.
    const done = { _id: { $eq: mark.stream }, revision: { $eq: mark.revision } };
    yield* step((at) => collections.mark.updateOne(done, { $set: { clean: true } }, { ...at }));
    yield;
  }
}

type Steps<Result> = AsyncGenerator<ReadModelsUnavailable | undefined, Result>;

/** @param take with the share of the rows that the step may have at most */
type Step = <Value>(take: (at: TransactionContext, share: number) => Promise<Value>) => Steps<Value>;

/** Creates a function that runs steps. After each failure, steps have half as many rows, so that also a slow server ends them in time. Then they
 * grow again, slowly. */
const createStep = (writing: InTransaction): Step => {
  let share = 1;
  return async function* (take) {
    for (;;) {
      try {
        const value = await writing(callMs, (at) => take(at, share));
        share = Math.min(1, share * shareGrowth);
        return value;
      } catch (error) {
        if (!(error instanceof ReadModelsUnavailable)) throw error;
        share = Math.max(shareMin, share / 2);
        yield error;
      }
    }
  };
};

/** Returns the number of rows of a share: at least one. */
const shareOf = (rows: number, share: number): number => Math.ceil(rows * share);

const noOrigins = { origins: '{}', fields: [], moved: null };

/** Deletes the values before the first event that was not erased, and the origins before the event that completed the erasure: none of them is
 * a version any more. */
async function* cleanValues({ entry }: Collections, { stream, from, position }: ErasureMark, step: Step): Steps<void> {
  for (let after: Position | undefined = 0; after !== undefined; ) {
    const begin: Position = after;
    after = yield* step(async (at, share) => {
      const limit = shareOf(valueRows, share);
      const options = { sort: { position: 1 }, limit, batchSize: limit + 1, projection: { position: 1 }, ...at } as const;
      const rows = await entry.find({ stream, position: { $gt: begin, $lt: position } }, options).toArray();
      const [erased, later] = [rows.filter((row) => row.position < from), rows.filter((row) => row.position >= from)];
      const set = (some: typeof rows, $set: Partial<EntryRow>) =>
        entry.updateMany({ _id: { $in: some.map(({ _id }) => _id) } }, { $set }, { ...at });
      // Each row is written once: a value that stays for another write is written, too.
      await set(erased, { ...noOrigins, value: null });
      await set(later, noOrigins);
      return rows.at(-1)?.position;
    });
    yield;
  }
}

/** Cleans the memberships of a list, or the stays of a happening. */
async function* cleanIntervals(collections: Collections, mark: ErasureMark, step: Step): Steps<void> {
  const { resource } = resourceOfStream(mark.stream) ?? {};
  if (resource !== 'list' && resource !== 'happening') return;
  const events = resource === 'list' ? yield* restatements(collections, mark, step) : [];
  let place: IntervalRow | undefined;
  do {
    const before: IntervalRow | undefined = place;
    place = yield* step(async (at, share) => {
      const rows = await nextIntervals(
        collections,
        mark.stream,
        resource === 'list',
        { place: before, limit: shareOf(stepRows, share) },
        at,
      );
      await cut(
        collections,
        rows.filter(({ item, since }) => isOfErased(events, mark.from, item, since)),
        (item) => restatedAt(events, mark.from, item),
        at,
      );
      return rows.at(-1);
    });
    yield;
  } while (place !== undefined);
}

/** Returns the intervals after another one: those in a list by member, or those of a happening by pinpoint, the newest of each first. */
const nextIntervals = async (
  { interval }: Collections,
  stream: string,
  isList: boolean,
  { place, limit }: { readonly place: IntervalRow | undefined; readonly limit: number },
  at: TransactionContext,
): Promise<readonly IntervalRow[]> => {
  const [all, part] = isList ? [{ within: stream }, 'item' as const] : [{ of: stream }, 'within' as const];
  const find = (filter: Filter<IntervalRow>) =>
    interval.find({ ...all, ...filter }, { sort: { [part]: 1, since: -1 }, limit, batchSize: limit + 1, ...at }).toArray();
  if (place === undefined) return find({});
  const same = await find({ [part]: place[part], since: { $lt: place.since } });
  return same.length > 0 ? same : find({ [part]: { $gt: place[part] } });
};

/** Reads the events that restated or added a list's members since the first event that was not erased, in steps: an event may name a thousand
 * members. */
async function* restatements({ entry }: Collections, { stream, from, position }: ErasureMark, step: Step): Steps<readonly Restatement[]> {
  const found: Restatement[] = [];
  for (let after: Position | undefined = from - 1; after !== undefined; ) {
    const begin: Position = after;
    const rows = yield* step((at, share) => {
      const limit = shareOf(valueRows, share);
      const filter = { stream, position: { $gt: begin, $lt: position }, type: { $in: [...restatementTypes] } };
      const options = { projection: { position: 1, value: 1 }, sort: { position: 1 }, limit, batchSize: limit + 1, ...at } as const;
      return entry.find(filter, options).toArray();
    });
    found.push(...rows.map((row) => ({ position: row.position, values: JSON.parse(row.value ?? '{}') })));
    after = rows.at(-1)?.position;
  }
  return found;
}

/** Makes intervals begin where they were restated, and deletes those that had ended before. The changes of relations that belong to the
 * erased part go with them. */
const cut = async (
  { interval, relation }: Collections,
  rows: readonly IntervalRow[],
  restated: (item: number) => Position,
  at: TransactionContext,
): Promise<void> => {
  const intervals: AnyBulkWriteOperation<IntervalRow>[] = [];
  const relations: AnyBulkWriteOperation<RelationRow>[] = [];
  const unrelate = ({ within, of }: IntervalRow, position: Position): void => {
    for (const [stream, other] of [[within, of ?? ''] as const, [of ?? '', within] as const])
      relations.push({ deleteOne: { filter: { stream, position, other } } });
  };
  for (const row of rows) {
    const { within, item, since, until } = row;
    const filter = { within, item, since };
    const isOver = until !== goesOn && until <= restated(item);
    unrelate(row, since);
    if (isOver) unrelate(row, until);
    intervals.push(isOver ? { deleteOne: { filter } } : { updateOne: { filter, update: { $set: { since: restated(item) } } } });
  }
  if (intervals.length > 0) await interval.bulkWrite(intervals, { ordered: false, ...at });
  if (relations.length > 0) await relation.bulkWrite(relations, { ordered: false, ...at });
};
