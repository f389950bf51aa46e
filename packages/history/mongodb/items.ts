import type { Interval } from '../entries.ts';
import type { HistoryReads, ItemsAt, Walk } from '../history.ts';
import type { IntervalRow } from './collections.ts';
import { idsFirst, idsTogetherFirst, itemsTogether, itemsTogetherFirst } from './limits.ts';
import { createOccupiedBlocks, type WalkPart } from './occupied-blocks.ts';
import { intervalOf } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

/** The order of a walk. */
const orders = { forward: ['$gt', '$lte', 1], backward: ['$lt', '$gte', -1] } as const;

/** Creates `HistoryReads.itemsAt`. It first reads the next ids, which most pages do not exceed. Then it reads only the blocks of ids whose span says
 * that something may have been there. Some servers read a whole range of an index before they apply a limit, so each range has an end. */
export const createItems =
  (snapshot: Snapshot): HistoryReads['itemsAt'] =>
  async (set, walk): Promise<ItemsAt> => {
    const { at, items: itemsMax, reads: readsMax } = walk;
    const blocks = createOccupiedBlocks(snapshot, set, walk);
    const read = createPartReads(snapshot, set, walk);
    const items: Interval[] = [];
    let part: WalkPart | null = nextIds(walk);
    let [limit, reads] = [Math.min(itemsTogether, itemsTogetherFirst * itemsMax), 0];
    while (part !== null && reads + blocks.reads() < readsMax) {
      let from: number = part.beyond;
      if (part.through !== undefined) {
        const rows = await read.part(part, limit);
        reads += Math.max(1, rows.length);
        for (const [item, some] of Map.groupBy(rows, (row) => row.item)) {
          from = item;
          // The query may have ended before the last intervals of the item.
          const isCut = rows.length === limit && item === rows.at(-1)?.item;
          const begun = isCut ? [await read.last(item)] : some.filter(({ since }) => since <= at);
          reads += isCut ? 1 : 0;
          const present = begun.find((interval) => interval !== undefined && interval.until > at);
          if (present) items.push(intervalOf(present));
          if (items.length === itemsMax) return { items, reads: reads + blocks.reads(), next: item };
        }
        if (rows.length < limit) from = part.through;
        limit = Math.min(itemsTogether, 4 * limit);
      }
      part = isLastId(from, walk) ? null : await blocks.beyond(from);
    }
    return { items, reads: reads + blocks.reads(), next: part?.beyond ?? null };
  };

const nextIds = ({ beyond, direction, items }: Walk): WalkPart => {
  const ids = Math.max(idsTogetherFirst, idsFirst * items);
  return { beyond, through: direction === 'forward' ? beyond + ids : beyond - ids };
};

/** Returns whether no id can follow: ids are positive. */
const isLastId = (id: number, { direction }: Walk): boolean => direction === 'backward' && id <= 1;

const createPartReads = ({ find }: Snapshot, set: string, { at, direction }: Walk) => {
  const [after, through, order] = orders[direction];
  const within = set;
  return {
    part: ({ beyond, through: end }: WalkPart, limit: number): Promise<readonly IntervalRow[]> => {
      const item = { [after]: beyond, ...(end === undefined ? {} : { [through]: end }) };
      return find('interval', { within, item }, { sort: { item: order, since: order === 1 ? -1 : 1 }, limit, batchSize: limit + 1 });
    },
    /** Returns the last interval of an item that had begun. */
    last: async (item: number): Promise<IntervalRow | undefined> => {
      const filter = { within, item, since: { $lte: at } };
      const [row] = await find('interval', filter, { sort: { since: -1 }, limit: 1 });
      return row;
    },
  };
};
