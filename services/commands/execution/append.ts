import { setTimeout as pause } from 'node:timers/promises';
import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { AppendUndecided, type EventLog, LogUnavailable, type Revision } from '@waymark/event-log/event-log.ts';
import { undecidedMs, undecidedPauseMs } from '../limits.ts';
import { nextRevision } from './load.ts';

/** Where an event stands, or that others were faster. */
export type AppendResult =
  | { readonly outcome: 'appended'; readonly revision: number; readonly position: number }
  /** Appended by an earlier try, maybe another process's with the same event id: what it recorded counts. */
  | { readonly outcome: 'found'; readonly event: RecordedEvent }
  | { readonly outcome: 'conflict' };

/** Appends one event, and settles what a conflict or a cut-off append leaves open by reading what follows the expected revision: there alone
 * can this append have put it.
 * @throws LogUnavailable, AppendUndecided where that could not be settled in time */
export const appendOne = async (log: EventLog, stream: string, event: NewEvent, expected: Revision): Promise<AppendResult> => {
  const untilMs = performance.now() + undecidedMs;
  let isOpen = false;
  for (;;) {
    const outcome = await tried(log.append(stream, [event], expected), isOpen);
    isOpen = true;
    if (outcome !== 'undecided' && outcome.outcome === 'appended') return outcome;
    const next = await readBack(log, stream, nextRevision(expected), untilMs);
    if (next?.envelope.id === event.envelope.id) return { outcome: 'found', event: next };
    if (outcome !== 'undecided' || next !== undefined) return { outcome: 'conflict' };
    if (performance.now() > untilMs) throw new AppendUndecided(stream);
    await pause(undecidedPauseMs);
  }
};

/** Appends an event that other runs of the same request may append, too, and reads it back: EventStoreDB acknowledges an event id that it has
 * at this revision already, whatever the content, and keeps what it has.
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

/** @param isOpen an earlier try was cut off: that this one cannot be made does not tell what became of that one */
const tried = async <Outcome>(append: Promise<Outcome>, isOpen: boolean): Promise<Outcome | 'undecided'> => {
  try {
    return await append;
  } catch (error) {
    if (error instanceof AppendUndecided || (isOpen && error instanceof LogUnavailable)) return 'undecided';
    throw error;
  }
};

/** The first event of a stream from a revision on. */
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
