import { AppendUndecided, type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { incarnationFreshMs } from '../tokens/limits.ts';

/** The time after which the cached incarnation of the log is too old. Timers may fire a millisecond early. */
export const outdatedMs = incarnationFreshMs + 10;

/** A log between a test and the real log. The test can make it unavailable, cut off its appends and change its incarnation. */
export type UnreliableLog = EventLog & {
  readonly faults: {
    unavailable: boolean;
    /** Each append takes one of them: the append is cut off before or after it is done. */
    readonly cuts: ('before' | 'after')[];
    incarnation: string | undefined;
  };
  /** The calls that the log has received. */
  readonly requested: { last: (readonly string[])[]; read: string[] };
};

export const unreliable = (log: EventLog): UnreliableLog => {
  const faults: UnreliableLog['faults'] = { unavailable: false, cuts: [], incarnation: undefined };
  const requested: UnreliableLog['requested'] = { last: [], read: [] };
  const there = async (): Promise<void> => {
    if (faults.unavailable) throw new LogUnavailable('away');
  };
  return {
    faults,
    requested,
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
      requested.read.push(stream);
      return log.read(stream, from);
    },
    lastRevisions: async (streams) => {
      await there();
      requested.last.push(streams);
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
