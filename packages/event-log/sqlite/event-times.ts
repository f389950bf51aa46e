import type { PackedAppend, PackedEvent } from './messages.ts';

/** How old an event may be when it is committed, in milliseconds. An older one gets the time of the commit. */
export const ageMaxMs = 5_000;
/** How far the clock of the process may be behind the latest time in the log before it is reported, in milliseconds. */
const behindMsMax = 5_000;
/** How often it is reported, in milliseconds. */
const reportEveryMs = 60_000;

/** Keeps the times of new events close to their commits. So whoever reads the log as of a moment more than `ageMaxMs` ago finds there what
 * everyone finds later. */
export type EventTimes = {
  /** Gives the events of appends that have waited too long the time of the clock. The commitment of an event does not cover its time. */
  readonly refresh: (appends: readonly PackedAppend[], nowMs: number) => readonly PackedAppend[];
};

/** @param latestMs the time of the last event in the log
 * @param report called with the number of milliseconds that the clock is behind: it was set back, or an import has brought later times */
export const createEventTimes = (latestMs: number, report: (behindMs: number) => void): EventTimes => {
  let latest = latestMs;
  let nextReportMs = Number.NEGATIVE_INFINITY;
  const watch = (nowMs: number): void => {
    if (latest - nowMs > behindMsMax && performance.now() >= nextReportMs) {
      nextReportMs = performance.now() + reportEveryMs;
      report(latest - nowMs);
    }
    latest = Math.max(latest, nowMs);
  };
  return {
    refresh: (appends, nowMs) => {
      watch(nowMs);
      const isStale = ([, , , sealedMs]: PackedAppend): boolean => sealedMs !== null && nowMs - sealedMs > ageMaxMs;
      if (!appends.some(isStale)) return appends;
      const time = new Date(nowMs).toISOString();
      return appends.map((append) => (isStale(append) ? retimed(append, time, nowMs) : append));
    },
  };
};

const retimed = ([stream, expected, events]: PackedAppend, time: string, timeMs: number): PackedAppend => [
  stream,
  expected,
  events.map(([envelope, salt, content]): PackedEvent => [JSON.stringify({ ...JSON.parse(envelope), time }), salt, content]),
  timeMs,
];
