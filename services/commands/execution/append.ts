import { setTimeout as pause } from 'node:timers/promises';
import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { AppendUndecided, type EventLog, LogUnavailable, type Position, type Revision } from '@waymark/event-log/event-log.ts';
import { undecidedMs, undecidedPauseMs } from '../limits.ts';
import { nextRevision } from './load.ts';

/** The place of the last event of an append. `recorded`: the events as the log has them, where the append has read them back. */
export type Placed = {
  readonly revision: number;
  readonly position: Position;
  readonly recorded: readonly RecordedEvent[];
};

/** Appends events. After a conflict or an interrupted append, reads the events behind the expected revision, which show the outcome: this
 * append can have stored its events only there. An earlier try may have stored them, possibly in another process with the same event ids:
 * the recorded events count.
 * @throws LogUnavailable, AppendUndecided if the outcome could not be read in time */
export const append = async (
  log: EventLog,
  stream: string,
  events: readonly NewEvent[],
  expected: Revision,
): Promise<Placed | 'conflict'> => {
  const untilMs = performance.now() + undecidedMs;
  let isOpen = false;
  for (;;) {
    const outcome = await attemptAppend(log.append(stream, events, expected), isOpen);
    isOpen = true;
    if (outcome !== 'undecided' && outcome.outcome === 'appended') return { ...outcome, recorded: [] };
    const behind = await readBack(log, stream, nextRevision(expected), untilMs);
    const placed = placedIn(behind, events);
    if (placed !== 'conflict') return placed;
    if (outcome !== 'undecided' || behind.length > 0) return 'conflict';
    if (performance.now() > untilMs) throw new AppendUndecided(stream);
    await pause(undecidedPauseMs);
  }
};

/** Appends events that other runs of the same requests may also append, and reads them back: EventStoreDB acknowledges event ids that it
 * already has at these revisions, whatever the content, and keeps the stored content.
 * @throws LogUnavailable, AppendUndecided */
export const appendShared = async (
  log: EventLog,
  stream: string,
  events: readonly NewEvent[],
  expected: Revision,
): Promise<Placed | 'conflict'> => {
  const placed = await append(log, stream, events, expected);
  if (placed === 'conflict' || placed.recorded.length > 0) return placed;
  return placedIn(await readBack(log, stream, nextRevision(expected), performance.now() + undecidedMs), events);
};

/** Returns the place of events that were read from the revision on at which they were to be appended; a conflict if others are there. */
const placedIn = (read: readonly RecordedEvent[], events: readonly NewEvent[]): Placed | 'conflict' => {
  const recorded = read.slice(0, events.length);
  const last = recorded.at(-1);
  const isWhole = last !== undefined && events.every(({ envelope }, nth) => recorded[nth]?.envelope.id === envelope.id);
  return isWhole ? { revision: last.revision, position: last.position, recorded } : 'conflict';
};

/** Returns the outcome of an append, or `undecided` if it is not known.
 * @param isOpen true if an earlier try was interrupted: a failure of this try then does not show the outcome of the earlier one */
const attemptAppend = async <Outcome>(appending: Promise<Outcome>, isOpen: boolean): Promise<Outcome | 'undecided'> => {
  try {
    return await appending;
  } catch (error) {
    if (error instanceof AppendUndecided || (isOpen && error instanceof LogUnavailable)) return 'undecided';
    throw error;
  }
};

/** Reads the events of a stream from a revision on. */
const readBack = async (log: EventLog, stream: string, from: number, untilMs: number): Promise<readonly RecordedEvent[]> => {
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
