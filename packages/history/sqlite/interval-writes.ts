import type { Database } from 'better-sqlite3';
import type { HistoryChange } from '../projection/change.ts';
import { collectSpanChanges } from '../spans.ts';

type Began = Extract<HistoryChange, { readonly type: 'began' }>;
type Ended = Extract<HistoryChange, { readonly type: 'ended' }>;

/** The writes of a batch's intervals, and of the spans that sum them up. */
export type IntervalWrites = {
  readonly began: (change: Began) => void;
  readonly ended: (change: Ended) => void;
  /** Begins a batch. What a batch that was rolled back has left is discarded. */
  readonly begin: () => void;
  /** Ends the batch. */
  readonly end: () => void;
};

type NewObject = [set: string, item: number, since: number];

/** The objects that one statement adds to those of their accounts: each takes less than half the time of a statement of its own. More would save
 * no more. */
const objectsTogether = 16;

/** Creates the writes. A relation that began already has no effect. */
export const sqliteIntervalWrites = (db: Database): IntervalWrites => {
  const spans = collectSpanChanges();
  const addition = (objects: number): string =>
    `INSERT INTO interval (within, item, since) VALUES ${Array.from({ length: objects }, () => '(?, ?, ?)').join(', ')}`;
  const addOne = db.prepare<NewObject>(addition(1));
  const addSeveral = db.prepare<NewObject[number][]>(addition(objectsTogether));
  const relate = db.prepare<[string, number, number, string]>(
    'INSERT OR IGNORE INTO interval (within, item, since, item_stream) VALUES (?, ?, ?, ?)',
  );
  // Only the last interval of an item goes on: the others, which may be many, are not read.
  const end = db.prepare<[number, string, number, string, number]>(
    `UPDATE interval SET until = ? WHERE within = ? AND item = ? AND until IS NULL
      AND since = (SELECT max(since) FROM interval WHERE within = (SELECT ?) AND item = (SELECT ?))`,
  );
  const sum = db.prepare<[string, number, number, number, number, number]>(
    `INSERT INTO span (within, size, block, since, until, open) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (within, size, block) DO UPDATE SET until = max(until, excluded.until), open = open + excluded.open`,
  );
  // No lookup of the projection reads them: they are written before one of them ends, and with the end of the batch.
  let objects: NewObject[] = [];
  const writeObjects = (): void => {
    if (objects.length === objectsTogether) addSeveral.run(...objects.flat());
    else for (const object of objects) addOne.run(...object);
    objects = [];
  };

  return {
    began: ({ interval, of }) => {
      const { set, item, since } = interval;
      if (of !== null && relate.run(set, item, since, of).changes === 0) return;
      spans.began(interval);
      if (of === null) objects.push([set, item, since]);
      if (objects.length === objectsTogether) writeObjects();
    },
    ended: ({ interval }) => {
      const { set, item, until } = interval;
      writeObjects();
      if (end.run(until, set, item, set, item).changes > 0) spans.ended(interval);
    },
    begin: () => {
      objects = [];
      spans.take();
    },
    end: () => {
      writeObjects();
      for (const { set, size, block, since, until, open } of spans.take()) sum.run(set, size, block, since, until, open);
    },
  };
};
