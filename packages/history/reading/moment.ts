import type { HistoryReads } from '../history.ts';
import type { Moment, Reply } from './questions.ts';

/** How far a time may be ahead of the clock of the process and still mean now. */
const aheadMsMax = 5_000;

const eventId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns whether a text is a time. */
export const isTime = (text: string): boolean => time.test(text);

/** Returns the instant that a time in UTC names; undefined if its day or its hour does not exist, such as 30 February. */
export const instantMs = (text: string): number | undefined => {
  const ms = Date.parse(text);
  const seconds = 'YYYY-MM-DDThh:mm:ss'.length;
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, seconds) === text.slice(0, seconds) ? ms : undefined;
};

/** Returns the moment that a text names: an event's id, or a time in ISO 8601 with milliseconds, in UTC.
 * @param nowMs the clock of the process */
export const momentOf = async (reads: HistoryReads, account: string, text: string, nowMs = Date.now()): Promise<Moment | Reply> => {
  if (eventId.test(text)) {
    const entry = await reads.entryOf(text.toLowerCase());
    return entry?.account === account ? { position: entry.position, event: entry.event } : { outcome: 'not-found' };
  }
  const timeMs = isTime(text) ? instantMs(text) : undefined;
  if (timeMs === undefined) return { outcome: 'invalid-moment' };
  if (timeMs > nowMs + aheadMsMax) return { outcome: 'future-moment' };
  const last = await reads.entryAt(account, timeMs > nowMs ? Number.MAX_SAFE_INTEGER : timeMs);
  return { position: last?.position ?? 0, event: last?.event ?? '' };
};
