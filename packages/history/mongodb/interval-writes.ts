import type { TransactionContext } from '@waymark/read-models/mongodb/transactions.ts';
import type { Collection } from 'mongodb';
import type { Interval } from '../entries.ts';
import { goesOn, type IntervalRow } from './collections.ts';

/** Collects the intervals that a batch begins and ends. */
export const intervalWrites = () => {
  /** The last interval of each item in each set that the batch begins. */
  const begun = new Map<string, IntervalRow>();
  /** Earlier intervals that the batch both begins and ends. */
  const passed: IntervalRow[] = [];
  /** The ends of intervals that began before the batch. */
  const ended = new Map<string, Pick<IntervalRow, 'within' | 'item' | 'until'>>();
  const keyOf = ({ set, item }: Pick<Interval, 'set' | 'item'>): string => `${item} ${set}`;

  return {
    begin: (interval: Omit<Interval, 'until'>, of: string | null): void => {
      const key = keyOf(interval);
      const before = begun.get(key);
      if (before) passed.push(before);
      const { set: within, item, since } = interval;
      begun.set(key, { within, item, since, until: goesOn, of });
    },
    end: (interval: Pick<Interval, 'set' | 'item'> & { readonly until: number }): void => {
      const key = keyOf(interval);
      const open = begun.get(key);
      const { set: within, item, until } = interval;
      if (open) begun.set(key, { ...open, until: Math.min(open.until, until) });
      else if (!ended.has(key)) ended.set(key, { within, item, until });
    },
    write: async (intervals: Collection<IntervalRow>, at: TransactionContext): Promise<void> => {
      const ends = [...ended.values()].map(({ within, item, until }) => ({
        updateOne: { filter: { item: { $eq: item }, until: { $eq: goesOn }, within: { $eq: within } }, update: { $set: { until } } },
      }));
      // Ended first: an item may come back in the same batch.
      if (ends.length > 0) await intervals.bulkWrite(ends, { ordered: false, ...at });
      const rows = [...passed, ...begun.values()];
      if (rows.length > 0) await intervals.insertMany(rows, { ordered: false, ...at });
    },
  };
};
