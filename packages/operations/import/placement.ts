import type { ErasedEvent, NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { appendOnce } from '@waymark/event-log/append-once.ts';
import type { EventLog, Position } from '@waymark/event-log/event-log.ts';
import { badRequest, conflict } from '@waymark/http/errors.ts';
import type { Run } from './events.ts';
import { appendsInFlightMax } from './limits.ts';

/** Appends each event at its own revision, and skips those that are already there. The events of one account are appended one run after the
 * other, so that they have the same order as in the export, also after a failure. Accounts are appended concurrently.
 * @returns the position of the last event
 * @throws HttpError 409 if another event exists at a revision, 400 if the log cannot accept an event; LogUnavailable, AppendUndecided: some
 * events may have been appended */
export const appendRuns = async (log: EventLog, runs: readonly Run[]): Promise<Position> => {
  const accounts = [...Map.groupBy(runs, accountOf).values()].values();
  let position: Position = 0;
  const placeAccounts = async (): Promise<void> => {
    for (const ofAccount of accounts) {
      for (const run of ofAccount) position = Math.max(position, await place(log, run));
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: appendsInFlightMax }, placeAccounts));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed === undefined) return position;
  const { reason } = failed;
  throw reason instanceof RangeError ? badRequest(`The log cannot accept an event: ${reason.message}`) : reason;
};

/** Returns the account of a run: a stream has events of one account only. */
const accountOf = ({ events: [first] }: Run): string => first?.envelope.account ?? '';

type Placing = Pick<Run, 'stream' | 'from' | 'events'>;

const place = async (log: EventLog, run: Placing): Promise<Position> => {
  const { stream, from, events } = run;
  const appended = await appendOnce(log, stream, events.map(asNew), from === 0 ? 'none' : from - 1, { imported: true });
  if (appended.outcome === 'appended') return appended.position;
  const count = sameAtFirst(events, appended.present, stream);
  if (appended.outcome === 'found') return appended.position;
  if (count === 0) throw conflict(`${stream} has no revision ${from - 1} yet: its events are incomplete.`);
  return place(log, { stream, from: from + count, events: events.slice(count) });
};

const asNew = ({ envelope, salt, content }: RecordedEvent): NewEvent | ErasedEvent =>
  salt === null || content === null ? { envelope, salt: null, content: null } : { envelope, salt, content };

/** Returns how many of the events are already there, from the first one on.
 * @throws HttpError 409 if another event exists at the revision of one of them */
const sameAtFirst = (events: readonly RecordedEvent[], present: readonly RecordedEvent[], stream: string): number => {
  let count = 0;
  for (const event of events) {
    const there = present[count];
    if (there === undefined) return count;
    if (there.revision !== event.revision || there.envelope.id !== event.envelope.id || there.content !== event.content) {
      throw conflict(`${stream} has another event at revision ${event.revision} than the export has. Nothing was overwritten.`);
    }
    count += 1;
  }
  return count;
};
