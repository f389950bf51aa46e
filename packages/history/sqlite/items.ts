import type { Position } from '@waymark/event-log/event-log.ts';
import type { Database, Statement } from 'better-sqlite3';
import type { Interval } from '../entries.ts';
import type { HistoryReads, ItemsAt, Walk } from '../history.ts';
import { isOccupied, spanSizes } from '../spans.ts';
import { sqliteIntervalAt } from './intervals-at.ts';

type IntervalRow = [item: number, since: Position, until: Position | null];
type SpanRow = [since: Position, until: Position, open: number];

/** The order of a walk. */
const orders = { forward: ['>', 'ASC'], backward: ['<', 'DESC'] } as const;

/** Creates `HistoryReads.itemsAt`. For each item it looks for the interval that contains the position. It skips a block of ids whose span says
 * that nothing was there at that time. */
export const sqliteItemsAt = (db: Database): HistoryReads['itemsAt'] => {
  const next = { forward: nextInterval(db, 'forward'), backward: nextInterval(db, 'backward') };
  const intervalAt = sqliteIntervalAt(db);
  const emptyBlocks = sqliteEmptyBlocks(db);

  return async (set, { at, beyond, direction, items: itemsMax, reads: readsMax }: Walk): Promise<ItemsAt> => {
    const items: Interval[] = [];
    const blocks = emptyBlocks(set, at);
    let [from, reads] = [beyond, 0];
    while (items.length < itemsMax && reads + blocks.reads() < readsMax) {
      const row = next[direction].get(set, from);
      reads += 1;
      if (row === undefined) return { items, reads: reads + blocks.reads(), next: null };
      const [item, since] = row;
      const block = blocks.around(item);
      from = block === undefined ? item : block[direction];
      if (block !== undefined || since > at) continue;
      if (!isAt(row, at)) reads += 1;
      const found = isAt(row, at) ? { set, item, since, until: row[2] } : intervalAt(set, item, at);
      if (found) items.push(found);
    }
    return { items, reads: reads + blocks.reads(), next: from };
  };
};

const isAt = ([, since, until]: IntervalRow, at: Position): boolean => since <= at && (until === null || until > at);

/** Returns the first interval of the next item. */
const nextInterval = (db: Database, direction: Walk['direction']): Statement<[string, number], IntervalRow> => {
  const [beyond, order] = orders[direction];
  return db
    .prepare<[string, number], IntervalRow>(
      `SELECT item, since, until FROM interval WHERE within = (SELECT ?) AND item ${beyond} ? ORDER BY item ${order}, since LIMIT 1 + 0`,
    )
    .raw();
};

/** A block of ids, by the directions in which a walk leaves it: the walk continues beyond that id. */
type Block = Readonly<Record<Walk['direction'], number>>;

/** Creates a search for blocks of ids in which nothing was in a set at a position. It looks once at each block that a walk passes. */
const sqliteEmptyBlocks = (db: Database) => {
  const span = db
    .prepare<[string, number, number], SpanRow>('SELECT since, until, open FROM span WHERE within = ? AND size = ? AND block = ?')
    .raw();
  return (set: string, at: Position) => {
    const passing = new Map<number, number>();
    let reads = 0;
    const isEmpty = (size: number, block: number): boolean => {
      reads += 1;
      const [since, until, open] = span.get(set, size, block) ?? [0, 0, 1];
      return !isOccupied({ since, until, open }, at);
    };
    const around = (item: number): Block | undefined => {
      for (const size of spanSizes.toReversed()) {
        const block = Math.floor(item / size);
        if (passing.get(size) === block) continue;
        if (isEmpty(size, block)) return { forward: (block + 1) * size - 1, backward: block * size };
        passing.set(size, block);
      }
      return undefined;
    };
    return { reads: () => reads, around };
  };
};
