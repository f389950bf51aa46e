import type { Position } from '@waymark/event-log/event-log.ts';
import type { Database } from 'better-sqlite3';

/** The numbers of ids in the blocks that spans sum up. */
export const spanSizes = [256, 65_536] as const;

/** Keeps the spans of sets. */
export type Spans = {
  readonly began: (set: string, item: number, since: Position) => void;
  readonly ended: (set: string, item: number, until: Position) => void;
  /** Writes what has changed since the last call. */
  readonly flush: () => void;
  /** Discards it. */
  readonly discard: () => void;
};

type Change = { readonly set: string; readonly size: number; readonly block: number; since: Position; until: Position; open: number };

/** Creates the spans of a file. Positions only rise, so a span needs no look at its intervals. */
export const createSpans = (db: Database): Spans => {
  const write = db.prepare<[string, number, number, Position, Position, number]>(
    `INSERT INTO span (within, size, block, since, until, open) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (within, size, block) DO UPDATE SET until = max(until, excluded.until), open = open + excluded.open`,
  );
  const changed = new Map<string, Change>();

  const change = (set: string, item: number, position: Position, open: 1 | -1): void => {
    for (const size of spanSizes) {
      const block = Math.floor(item / size);
      const key = `${set} ${size} ${block}`;
      const known = changed.get(key) ?? { set, size, block, since: position, until: 0, open: 0 };
      known.open += open;
      if (open < 0) known.until = position;
      changed.set(key, known);
    }
  };
  return {
    began: (set, item, since) => change(set, item, since, 1),
    ended: (set, item, until) => change(set, item, until, -1),
    flush: () => {
      for (const { set, size, block, since, until, open } of changed.values()) write.run(set, size, block, since, until, open);
      changed.clear();
    },
    discard: () => changed.clear(),
  };
};
