import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { Logger } from 'pino';
import { createLogThrottle } from './log-throttle.ts';

/** How far the clock of a process may be behind the time of an event before it is logged. A moment of the past may change where a clock is further
 * behind. */
export const clockBehindMsMax = 5_000;

/** Creates a function that logs by how much the clock of this process is behind the time of an event, now and then. */
export const createClockAlarm = (logger: Pick<Logger, 'warn'>): ((behindMs: number) => void) => {
  const tell = createLogThrottle((behindMs) => logger.warn({ behindMs }, 'the clock of this process is behind the time of an event'));
  return (behindMs) => {
    if (behindMs > clockBehindMsMax) tell(behindMs);
  };
};

/** Returns a log that compares the time of each stream's end that is read with the clock of this process. */
export const watchClock = <Log extends Pick<EventLog, 'read'>>(log: Log, logger: Pick<Logger, 'warn'>): Log => {
  const note = createClockAlarm(logger);
  return {
    ...log,
    read: async (stream, from) => {
      const events = await log.read(stream, from);
      const last = events.at(-1);
      if (last !== undefined) note(Date.parse(last.envelope.time) - Date.now());
      return events;
    },
  };
};
