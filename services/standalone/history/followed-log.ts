import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import type { LogReader } from '@waymark/event-log/sqlite/reader.ts';

/** What the history reads of the log. */
export type HistoryLog = Pick<LogReader, 'state' | 'after' | 'partsAfter'>;

/** Returns the log with `LogUnavailable` for each of its failures: damage of the log must not look like damage of the history, which the log could
 * not fill again. */
export const followedLog = (log: HistoryLog): HistoryLog => ({
  state: () => orUnavailable(log.state),
  after: (...of) => orUnavailable(() => log.after(...of)),
  partsAfter: function* (...of) {
    try {
      yield* log.partsAfter(...of);
    } catch (error) {
      throw unavailable(error);
    }
  },
});

const orUnavailable = <Value>(read: () => Value): Value => {
  try {
    return read();
  } catch (error) {
    throw unavailable(error);
  }
};

const unavailable = (cause: unknown): LogUnavailable => new LogUnavailable('The event log cannot be read.', { cause });
