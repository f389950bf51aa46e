import { setTimeout as pause } from 'node:timers/promises';
import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { AppendUndecided, type EventLog, LogUnavailable, type Revision } from '@waymark/event-log/event-log.ts';
import { undecidedMs, undecidedPauseMs } from './limits.ts';
import { following } from './load.ts';

/** Where an event stands, or that others were faster. */
export type Placed =
  | { readonly outcome: 'appended'; readonly revision: number; readonly position: number }
  /** Appended by an earlier try, maybe somebody else's with the same event id: what it recorded counts. */
  | { readonly outcome: 'found'; readonly event: RecordedEvent }
  | { readonly outcome: 'conflict' };

/** Appends one event, and settles what a conflict or a cut-off append leaves open by reading what follows the expected revision.
 * @throws LogUnavailable, AppendUndecided where that could not be settled in time */
export const appendOne = async (log: EventLog, stream: string, event: NewEvent, expected: Revision): Promise<Placed> => {
  const untilMs = performance.now() + undecidedMs;
  let isOpen = false;
  for (;;) {
    const outcome = await tried(log.append(stream, [event], expected), isOpen);
    isOpen = true;
    if (outcome !== 'undecided' && outcome.outcome === 'appended') return outcome;
    const after = await readBack(log, stream, following(expected), untilMs);
    const found = after.find(({ envelope }) => envelope.id === event.envelope.id);
    if (found) return { outcome: 'found', event: found };
    if (outcome !== 'undecided' || after.length > 0) return { outcome: 'conflict' };
    if (performance.now() > untilMs) throw new AppendUndecided(stream);
    await pause(undecidedPauseMs);
  }
};

/** @param isOpen an earlier try was cut off: that this one cannot be made does not tell what became of that one */
const tried = async <Outcome>(append: Promise<Outcome>, isOpen: boolean): Promise<Outcome | 'undecided'> => {
  try {
    return await append;
  } catch (error) {
    if (error instanceof AppendUndecided || (isOpen && error instanceof LogUnavailable)) return 'undecided';
    throw error;
  }
};

const readBack = async (log: EventLog, stream: string, from: number, untilMs: number) => {
  for (;;) {
    try {
      return await log.read(stream, from);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      if (performance.now() > untilMs) throw new AppendUndecided(stream, { cause: error });
      await pause(undecidedPauseMs);
    }
  }
};
