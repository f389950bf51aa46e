import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Appended, AppendUndecided, LogUnavailable, readEventsMax } from '@waymark/event-log/event-log.ts';
import type { LogReader } from '@waymark/event-log/sqlite/reader.ts';
import type { NotaryPorts } from '@waymark/notary/app.ts';
import { createPoll } from '../history/poll.ts';
import { batchEvents, pollMs } from './limits.ts';

/** The outcome of an append, as it is sent between threads. */
export type RemoteOutcome = Appended | 'unavailable' | 'undecided';

export type RemoteAppend = (...append: Parameters<NotaryPorts['log']['append']>) => Promise<RemoteOutcome>;

/** The log as a thread sees it that reads it over a connection of its own, and appends through the main thread. */
export const createThreadLog = (reader: LogReader, append: RemoteAppend): NotaryPorts['log'] & { readonly wake: () => void } => {
  const poll = createPoll();
  return {
    append: async (...appending) => {
      const outcome = await append(...appending);
      if (outcome === 'unavailable') throw new LogUnavailable('The event log cannot be written.');
      if (outcome === 'undecided') throw new AppendUndecided('The append of a checkpoint was interrupted.');
      return outcome;
    },
    read: async (stream, from) => reader.read(stream, from, readEventsMax),
    lastRevisions: async (streams) => reader.last(streams),
    state: async () => reader.state(),
    subscribe: async (after, handle, signal) => {
      signal.addEventListener('abort', poll.end, { once: true });
      for (let at = after; !signal.aborted; ) {
        const events = reader.envelopesAfter(at, batchEvents);
        const last = events.at(-1);
        if (last !== undefined) {
          await handle(events);
          at = last.position;
        }
        // A part of a batch can wait: many small transactions write more pages than a large one.
        await (events.length < batchEvents ? poll.wait(pollMs) : nextTurn());
      }
    },
    wake: poll.end,
  };
};

/** Runs an append for another thread. An error keeps no class on its way to a thread. */
export const appendForThread =
  (append: NotaryPorts['log']['append']): RemoteAppend =>
  async (...appending) => {
    try {
      return await append(...appending);
    } catch (error) {
      if (error instanceof AppendUndecided) return 'undecided';
      if (error instanceof LogUnavailable) return 'unavailable';
      throw error;
    }
  };
