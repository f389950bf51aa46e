import type { Position } from '@waymark/event-log/event-log.ts';
import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';

/** Waits, for a limited time, until every reader sees the events up to a position. False if the time was too short. */
export type Visible = (position: Position) => boolean | Promise<boolean>;

/** Creates the wait for visibility. The read models follow the log. */
export const createVisibility =
  ({ followed, onMoved }: Pick<SqliteEventLog, 'followed' | 'onMoved'>, waitMs: number): Visible =>
  (position) => {
    if (position <= followed()) return true;
    return new Promise((resolve) => {
      const settle = (visible: boolean): void => {
        clearTimeout(timer);
        unlisten();
        resolve(visible);
      };
      const check = (): void => {
        if (position <= followed()) settle(true);
      };
      const timer = setTimeout(() => settle(false), waitMs);
      const unlisten = onMoved(check);
      check();
    });
  };
