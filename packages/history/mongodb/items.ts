import type { Interval } from '../entries.ts';
import type { HistoryReads, ItemsAt, Walk } from '../history.ts';
import { itemsTogether } from './limits.ts';
import { intervalOf } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

/** The order of a walk. */
const orders = { forward: ['$gt', '$lte', 1], backward: ['$lt', '$gte', -1] } as const;

/** Creates `HistoryReads.itemsAt`. Each step first finds the item that ends the next part of the index, and then reads the intervals in that
 * part that had begun: of each item, the newest one decides. So no query examines more than a bounded number of keys. */
export const createItems =
  ({ find }: Snapshot): HistoryReads['itemsAt'] =>
  async (set, { at, beyond, direction, items: itemsMax, reads: readsMax }: Walk): Promise<ItemsAt> => {
    const [after, through, order] = orders[direction];
    const within = { $eq: set };
    // A step examines the keys of its part twice.
    const together = Math.max(1, Math.min(itemsTogether, Math.floor(readsMax / 2)));
    const endOf = async (from: number): Promise<number | undefined> => {
      const options = { sort: { item: order }, skip: together - 1, limit: 1, projection: { _id: 0, item: 1 } } as const;
      const [end] = await find('interval', { within, item: { [after]: from } }, options);
      return end?.item;
    };
    const begunIn = (from: number, end: number | undefined) => {
      const item = end === undefined ? { [after]: from } : { [after]: from, [through]: end };
      const options = { sort: { item: order, since: -1 }, limit: together, batchSize: together + 1 } as const;
      return find('interval', { within, item, since: { $lte: at } }, options);
    };
    const items: Interval[] = [];
    let [from, reads] = [beyond, 0];
    while (reads < readsMax) {
      const end = await endOf(from);
      const rows = await begunIn(from, end);
      reads += 2 * together;
      for (const row of rows) {
        const { item, until } = row;
        if (item === from) continue;
        from = item;
        if (until > at) items.push(intervalOf(row));
        if (items.length === itemsMax) return { items, reads, next: from };
      }
      // Otherwise one item may have filled the part: the walk continues beyond it.
      if (rows.length < together) {
        if (end === undefined) return { items, reads, next: null };
        from = end;
      }
    }
    return { items, reads, next: from };
  };
