import type { Position } from '@waymark/event-log/event-log.ts';
import type { Database } from 'better-sqlite3';
import { eventKey } from './rows.ts';
import { blockPositions } from './schema.ts';

/** Finds the position of an event by its id. */
export type PositionOf = (event: string) => Position | undefined;

/** Looks into the blocks of the index of events, the newest first: a look for each 4,096 positions of the log. */
export const sqlitePositionOf = (db: Database): PositionOf => {
  const newest = db.prepare<[], Position | null>('SELECT max(position) FROM entry').pluck();
  const inBlock = db
    .prepare<[number, number, string], Position>(
      `SELECT position FROM entry WHERE position / ${blockPositions} = ? AND event_key = ? AND event = ?`,
    )
    .pluck();
  return (event) => {
    const key = eventKey(event);
    for (let block = Math.floor((newest.get() ?? 0) / blockPositions); block >= 0; block -= 1) {
      const position = inBlock.get(block, key, event);
      if (position !== undefined) return position;
    }
    return undefined;
  };
};
