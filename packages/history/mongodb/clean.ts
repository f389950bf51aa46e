import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import { callMs } from '@waymark/read-models/mongodb/limits.ts';
import type { InTransaction, TransactionContext } from '@waymark/read-models/mongodb/transactions.ts';
import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import type { ErasureMark } from '../entries.ts';
import { isOfErased, type Restatement, restatedAt, restatementTypes } from '../restatements.ts';
import { type Collections, type EntryRow, goesOn, type IntervalRow, type RelationRow } from './collections.ts';
import { stepRows, valueRows } from './limits.ts';
import { markOf } from './rows.ts';

/** Deletes what erasures have left, in steps: each is a short transaction. Afterwards the rows equal those of a history that never saw the
 * erased content. Several processes may do so at once, and each step may be repeated. */
export async function* mongoCleaning(collections: Collections, writing: InTransaction): AsyncGenerator<void> {
  const step = <Value>(take: (at: TransactionContext) => Promise<Value>): Promise<Value> => writing(callMs, take);
  for (;;) {
    const row = await step((at) => collections.mark.findOne({ clean: { $eq: false } }, { sort: { _id: 1 }, ...at }));
    if (row === null) return;
    const mark = markOf(row);
    yield* cleanValues(collections, mark, step);
    yield* cleanIntervals(collections, mark, step);
    // Not if another erasure has begun meanwhile.
    const done = { _id: { $eq: mark.stream }, revision: { $eq: mark.revision } };
    await step((at) => collections.mark.updateOne(done, { $set: { clean: true } }, { ...at }));
    yield;
  }
}

type Step = <Value>(take: (at: TransactionContext) => Promise<Value>) => Promise<Value>;

const noOrigins = { origins: '{}', fields: [], moved: null };

/** Deletes the values before the first event that was not erased, and the origins before the event that completed the erasure: none of them is
 * a version any more. */
async function* cleanValues({ entry }: Collections, { stream, from, position }: ErasureMark, step: Step): AsyncGenerator<void> {
  for (let after: Position | undefined = 0; after !== undefined; ) {
    const begin: Position = after;
    after = await step(async (at) => {
      const options = { sort: { position: 1 }, limit: valueRows, batchSize: valueRows + 1, projection: { position: 1 }, ...at } as const;
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
async function* cleanIntervals(collections: Collections, mark: ErasureMark, step: Step): AsyncGenerator<void> {
  const { resource } = resourceOfStream(mark.stream) ?? {};
  if (resource !== 'list' && resource !== 'happening') return;
  const events = resource === 'list' ? await step((at) => restatements(collections, mark, at)) : [];
  let place: IntervalRow | undefined;
  do {
    place = await step(async (at) => {
      const rows = await nextIntervals(collections, mark.stream, resource === 'list', place, at);
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
  place: IntervalRow | undefined,
  at: TransactionContext,
): Promise<readonly IntervalRow[]> => {
  const [all, part] = isList ? [{ within: stream }, 'item' as const] : [{ of: stream }, 'within' as const];
  const find = (filter: Filter<IntervalRow>) =>
    interval.find({ ...all, ...filter }, { sort: { [part]: 1, since: -1 }, limit: stepRows, batchSize: stepRows + 1, ...at }).toArray();
  if (place === undefined) return find({});
  const same = await find({ [part]: place[part], since: { $lt: place.since } });
  return same.length > 0 ? same : find({ [part]: { $gt: place[part] } });
};

/** Reads the events that restated or added a list's members since the first event that was not erased. */
const restatements = async (
  { entry }: Collections,
  { stream, from, position }: ErasureMark,
  at: TransactionContext,
): Promise<readonly Restatement[]> => {
  const filter = { stream, position: { $gte: from, $lt: position }, type: { $in: [...restatementTypes] } };
  const rows = await entry.find(filter, { projection: { position: 1, value: 1 }, sort: { position: 1 }, ...at }).toArray();
  return rows.map((row) => ({ position: row.position, values: JSON.parse(row.value ?? '{}') }));
};

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
