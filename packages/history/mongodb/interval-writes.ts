import type { TransactionContext } from '@waymark/read-models/mongodb/transactions.ts';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { Interval } from '../entries.ts';
import { collectSpanChanges, type Span } from '../spans.ts';
import { type Collections, goesOn, type IntervalRow, type SpanRow } from './collections.ts';

type End = Pick<Interval, 'set' | 'item'> & { readonly until: number };

/** Collects the intervals that a batch begins and ends. */
export const intervalWrites = () => {
  /** The last interval of each item in each set that the batch begins. */
  const begun = new Map<string, IntervalRow>();
  /** Earlier intervals that the batch both begins and ends. */
  const passed: IntervalRow[] = [];
  /** The ends of intervals that began before the batch. */
  const ended = new Map<string, End>();
  const spans = collectSpanChanges();
  const keyOf = ({ set, item }: Pick<Interval, 'set' | 'item'>): string => `${item} ${set}`;

  return {
    begin: (interval: Omit<Interval, 'until'>, of: string | null): void => {
      const key = keyOf(interval);
      const before = begun.get(key);
      if (before) passed.push(before);
      const { set: within, item, since } = interval;
      begun.set(key, { within, item, since, until: goesOn, of });
      spans.began(interval);
    },
    end: (interval: End): void => {
      const key = keyOf(interval);
      const open = begun.get(key);
      if (open === undefined) {
        if (!ended.has(key)) ended.set(key, interval);
      } else if (open.until === goesOn) {
        begun.set(key, { ...open, until: interval.until });
        spans.ended(interval);
      }
    },
    write: async (collections: Collections, at: TransactionContext): Promise<void> => {
      // Ended first: an item may come back in the same batch.
      for (const end of await endStored(collections, [...ended.values()], at)) spans.ended(end);
      const rows = [...passed, ...begun.values()];
      if (rows.length > 0) await collections.interval.insertMany(rows, { ordered: false, ...at });
      await writeSpans(collections, spans.take().map(spanWrite), at);
    },
  };
};

/** Ends stored intervals. Returns the ends of those that went on: a pinpoint that joined a list before it was created has none to end. */
const endStored = async ({ interval }: Collections, ends: readonly End[], at: TransactionContext): Promise<readonly End[]> => {
  if (ends.length === 0) return ends;
  const updates = ends.map(({ set, item, until }) => ({
    updateOne: { filter: { item, until: goesOn, within: set }, update: { $set: { until } } },
  }));
  const { matchedCount } = await interval.bulkWrite(updates, { ordered: false, ...at });
  if (matchedCount === ends.length) return ends;
  const found: End[] = [];
  for (const end of ends) {
    const filter = { item: end.item, until: end.until, within: end.set };
    if (await interval.findOne(filter, at)) found.push(end);
  }
  return found;
};

const spanWrite = ({ set, size, block, since, until, open }: Span) => ({
  updateOne: {
    filter: { within: set, size, block },
    update: { $setOnInsert: { since }, $max: { until }, $inc: { open } },
    upsert: true,
  },
});

const writeSpans = async ({ span }: Collections, writes: AnyBulkWriteOperation<SpanRow>[], at: TransactionContext): Promise<void> => {
  if (writes.length > 0) await span.bulkWrite(writes, { ordered: false, ...at });
};
