import { setTimeout as pause } from 'node:timers/promises';
import type { ErasedEvent, NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import {
  type AppendOptions,
  AppendUndecided,
  type EventLog,
  LogUnavailable,
  nextRevision,
  type Position,
  type Revision,
} from './event-log.ts';
import { readEvents } from './read-stream.ts';

/** How long `appendOnce` tries to find out the outcome of an interrupted append. */
export const undecidedMs = 5_000;
const undecidedPauseMs = 100;

/** The outcome of an append, with the revision and the position of its last event. `present`: the recorded events after the expected
 * revision, at most as many as were to be appended. */
export type AppendedOnce =
  | { readonly outcome: 'appended'; readonly revision: number; readonly position: Position }
  /** An earlier try has appended the events, possibly in another process with the same ids. The recorded events count, also where their
   * content differs. */
  | { readonly outcome: 'found'; readonly revision: number; readonly position: Position; readonly present: readonly RecordedEvent[] }
  /** Nothing was written: other events follow the expected revision, or the stream does not reach it. */
  | { readonly outcome: 'conflict'; readonly present: readonly RecordedEvent[] };

/** Appends events. After a conflict or an interrupted append, reads the events after the expected revision, which show the outcome: only
 * there can this append have stored its events. Repeats an interrupted append of which nothing is stored, with the same ids at the same
 * revision. So the events are stored at most once.
 * @throws LogUnavailable if the first try wrote nothing, AppendUndecided if the outcome was not known in time */
export const appendOnce = async (
  log: Pick<EventLog, 'append' | 'read'>,
  stream: string,
  events: readonly (NewEvent | ErasedEvent)[],
  expected: Revision,
  options?: AppendOptions,
): Promise<AppendedOnce> => {
  const untilMs = performance.now() + undecidedMs;
  for (let isOpen = false; ; isOpen = true) {
    const outcome = await attempt(log.append(stream, events, expected, options), isOpen);
    if (outcome !== 'undecided' && outcome.outcome === 'appended') return outcome;
    const present = await readBack(log, stream, expected, events.length, untilMs);
    const last = present.at(-1);
    if (last !== undefined && haveSameIds(present, events)) {
      return { outcome: 'found', revision: last.revision, position: last.position, present };
    }
    if (outcome !== 'undecided' || present.length > 0) return { outcome: 'conflict', present };
    if (performance.now() > untilMs) throw new AppendUndecided(stream);
    await pause(undecidedPauseMs);
  }
};

/** Appends events that other processes may also append with the same ids, and reads them back: EventStoreDB acknowledges events that it
 * already has at these revisions, whatever their content, and keeps the stored content.
 * @throws LogUnavailable if the first try wrote nothing, AppendUndecided if the outcome was not known in time */
export const appendShared = async (
  log: Pick<EventLog, 'append' | 'read'>,
  stream: string,
  events: readonly (NewEvent | ErasedEvent)[],
  expected: Revision,
): Promise<Exclude<AppendedOnce, { readonly outcome: 'appended' }>> => {
  const appended = await appendOnce(log, stream, events, expected);
  if (appended.outcome !== 'appended') return appended;
  const present = await readBack(log, stream, expected, events.length, performance.now() + undecidedMs);
  return haveSameIds(present, events) ? { ...appended, outcome: 'found', present } : { outcome: 'conflict', present };
};

/** Returns the outcome of one try, or `undecided` if it is not known.
 * @param isOpen true if an earlier try was interrupted: a failure of this try then does not show the outcome of the earlier one */
const attempt = async <Outcome>(append: Promise<Outcome>, isOpen: boolean): Promise<Outcome | 'undecided'> => {
  try {
    return await append;
  } catch (error) {
    if (error instanceof AppendUndecided || (isOpen && error instanceof LogUnavailable)) return 'undecided';
    throw error;
  }
};

/** Reads the first events of a stream after a revision. Waits for a log that is unavailable. */
const readBack = async ({ read }: Pick<EventLog, 'read'>, stream: string, after: Revision, count: number, untilMs: number) => {
  for (;;) {
    try {
      return await firstAfter(read, stream, after, count);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      if (performance.now() > untilMs) throw new AppendUndecided(stream, { cause: error });
      await pause(undecidedPauseMs);
    }
  }
};

const firstAfter = async (read: EventLog['read'], stream: string, after: Revision, count: number): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const event of readEvents(read, stream, nextRevision(after))) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
};

type Identified = readonly Pick<RecordedEvent, 'envelope'>[];

const haveSameIds = (present: Identified, events: Identified): boolean =>
  present.length === events.length && events.every(({ envelope }, index) => envelope.id === present[index]?.envelope.id);
