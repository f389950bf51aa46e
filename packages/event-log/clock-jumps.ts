import type { Envelope, RecordedEvent } from '@waymark/domain/event.ts';
import { isHistory } from '@waymark/domain/streams.ts';

/** How long before an earlier event of its account an event may be by its time, in milliseconds: in the SQLite log, and in a cluster, where
 * several processes append. */
export const clockJumpMs = { standalone: 5_000, cluster: 30_000 } as const;

/** Finds events whose times are long before that of an earlier event of their account. A clock was set back there, or it had been ahead. */
export type ClockJumps = {
  /** Takes the next event, in the order of the log. */
  readonly add: (event: Pick<RecordedEvent, 'stream' | 'revision'> & { readonly envelope: Pick<Envelope, 'account' | 'time'> }) => void;
  /** Returns the events found so far, as sentences. Of the events behind one jump, the first is named. */
  readonly found: () => readonly string[];
};

/** @param jumpMs one of `clockJumpMs`
 * @param foundMax the number of sentences */
export const createClockJumps = (jumpMs: number, foundMax: number): ClockJumps => {
  /** The latest time of each account, and whether its events are behind it. */
  const accounts = new Map<string, { latestMs: number; isBehind: boolean }>();
  const found: string[] = [];
  return {
    add: ({ stream, revision, envelope: { account, time } }) => {
      if (!isHistory(stream)) return;
      const timeMs = Date.parse(time);
      const known = accounts.get(account) ?? { latestMs: timeMs, isBehind: false };
      const isBehind = known.latestMs - timeMs > jumpMs;
      if (isBehind && !known.isBehind && found.length < foundMax) {
        const seconds = Math.round((known.latestMs - timeMs) / 1_000);
        found.push(`${stream}, revision ${revision}: its time is ${seconds} s before that of an earlier event of its account.`);
      }
      accounts.set(account, { latestMs: Math.max(known.latestMs, timeMs), isBehind });
    },
    found: () => found,
  };
};
