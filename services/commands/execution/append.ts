import { setTimeout as pause } from 'node:timers/promises';
import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { AppendUndecided, type EventLog, LogUnavailable, type Revision } from '@waymark/event-log/event-log.ts';
import { undecidedMs, undecidedPauseMs } from '../limits.ts';
import { nextRevision } from './load.ts';

/** The result of an append: the place of the event, or a conflict with an event that was appended first. */
export type AppendResult =
  | { readonly outcome: 'appended'; readonly revision: number; readonly position: number }
  /** An earlier try has appended the event, possibly in another process with the same event id: the recorded event counts. */
  | { readonly outcome: 'found'; readonly event: RecordedEvent }
  | { readonly outcome: 'conflict' };

/** Appends one event. After a conflict or an interrupted append, reads the event behind the expected revision, which shows the outcome:
 * this append can have stored its event only there.
 * @throws LogUnavailable, AppendUndecided if the outcome could not be read in time */
export const appendOne = async (log: EventLog, stream: string, event: NewEvent, expected: Revision): Promise<AppendResult> => {
  const untilMs = performance.now() + undecidedMs;
  let isOpen = false;
  for (;;) {
    const outcome = await attemptAppend(log.append(stream, [event], expected), isOpen);
    isOpen = true;
    if (outcome !== 'undecided' && outcome.outcome === 'appended') return outcome;
    const next = await readBack(log, stream, nextRevision(expected), untilMs);
    if (next?.envelope.id === event.envelope.id) return { outcome: 'found', event: next };
    if (outcome !== 'undecided' || next !== undefined) return { outcome: 'conflict' };
    if (performance.now() > untilMs) throw new AppendUndecided(stream);
    await pause(undecidedPauseMs);
  }
};

/** Appends an event that other runs of the same request may also append, and reads it back: EventStoreDB acknowledges an event id that it
 * already has at this revision, whatever the content, and keeps the stored content.
 * @throws LogUnavailable, AppendUndecided */
export const appendShared = async (
  log: EventLog,
  stream: string,
  event: NewEvent,
  expected: Revision,
): Promise<Exclude<AppendResult, { readonly outcome: 'appended' }>> => {
  const placed = await appendOne(log, stream, event, expected);
  if (placed.outcome !== 'appended') return placed;
  const kept = await readBack(log, stream, placed.revision, performance.now() + undecidedMs);
  return kept?.envelope.id === event.envelope.id ? { outcome: 'found', event: kept } : { outcome: 'conflict' };
};

/** Returns the outcome of an append, or `undecided` if it is not known.
 * @param isOpen true if an earlier try was interrupted: a failure of this try then does not show the outcome of the earlier one */
const attemptAppend = async <Outcome>(append: Promise<Outcome>, isOpen: boolean): Promise<Outcome | 'undecided'> => {
  try {
    return await append;
  } catch (error) {
    if (error instanceof AppendUndecided || (isOpen && error instanceof LogUnavailable)) return 'undecided';
    throw error;
  }
};

/** Reads the first event of a stream from a revision on. */
const readBack = async (log: EventLog, stream: string, from: number, untilMs: number): Promise<RecordedEvent | undefined> => {
  for (;;) {
    try {
      return (await log.read(stream, from))[0];
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      if (performance.now() > untilMs) throw new AppendUndecided(stream, { cause: error });
      await pause(undecidedPauseMs);
    }
  }
};
