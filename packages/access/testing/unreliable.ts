import { AppendUndecided, type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { incarnationFreshMs } from '../tokens/limits.ts';

/** What is known of the log's name is too old then. Timers may be early by a millisecond. */
export const outdatedMs = incarnationFreshMs + 10;

/** A log between a test and the one behind it: it can be away, be cut off while it appends, and bear another name. */
export type UnreliableLog = EventLog & {
  readonly faults: {
    away: boolean;
    /** Each append takes one: cut off before or after it was done. */
    readonly cuts: ('before' | 'after')[];
    incarnation: string | undefined;
  };
  /** What it was asked. */
  readonly asked: { last: (readonly string[])[]; read: string[] };
};

export const unreliable = (log: EventLog): UnreliableLog => {
  const faults: UnreliableLog['faults'] = { away: false, cuts: [], incarnation: undefined };
  const asked: UnreliableLog['asked'] = { last: [], read: [] };
  const there = async (): Promise<void> => {
    if (faults.away) throw new LogUnavailable('away');
  };
  return {
    faults,
    asked,
    append: async (...what) => {
      await there();
      const cut = faults.cuts.shift();
      if (cut === 'before') throw new AppendUndecided('cut off');
      const outcome = await log.append(...what);
      if (cut === 'after') throw new AppendUndecided('cut off');
      return outcome;
    },
    read: async (stream, from) => {
      await there();
      asked.read.push(stream);
      return log.read(stream, from);
    },
    lastRevisions: async (streams) => {
      await there();
      asked.last.push(streams);
      return log.lastRevisions(streams);
    },
    owners: async (streams) => {
      await there();
      return log.owners(streams);
    },
    state: async () => {
      await there();
      const state = await log.state();
      return { ...state, incarnation: faults.incarnation ?? state.incarnation };
    },
    subscribe: log.subscribe,
    eraseBefore: log.eraseBefore,
  };
};
