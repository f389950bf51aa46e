import type { ErasedEvent, NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { appendOnce } from '@waymark/event-log/append-once.ts';
import type { EventLog, Position } from '@waymark/event-log/event-log.ts';
import { badRequest, conflict } from '@waymark/http/errors.ts';
import type { Run } from './events.ts';
import { appendsInFlightMax } from './limits.ts';

/** Appends each event at its own revision, and skips those that are already there. Many appends run concurrently, in the order of the
 * events. Events that depend on others wait until these are appended, so a failure can never reverse their order.
 * @returns the position of the last event
 * @throws HttpError 409 if another event exists at a revision, 400 if the log cannot accept an event; LogUnavailable, AppendUndecided: some
 * events may have been appended */
export const appendRuns = async (log: EventLog, runs: readonly Run[]): Promise<Position> => {
  const flight = inFlight();
  try {
    for (const run of runs) {
      await flight.roomFor(run);
      flight.begin(run, place(log, run));
    }
    return await flight.landed();
  } catch (error) {
    await flight.settled();
    throw error instanceof RangeError ? badRequest(`The log cannot accept an event: ${error.message}`) : error;
  }
};

const inFlight = () => {
  const queue: { readonly run: Run; readonly landing: Promise<Position> }[] = [];
  const streams = counts();
  const about = counts();
  let position: Position = 0;

  const land = async (): Promise<void> => {
    const [first] = queue;
    if (first === undefined) return;
    position = Math.max(position, await first.landing);
    queue.shift();
    streams.remove([first.run.stream]);
    about.remove(first.run.about);
  };
  /** Returns whether a run must wait for runs in progress. Runs of the same stream need not wait: the expected revision keeps their order. */
  const mustWait = (run: Run): boolean => about.has(run.stream) || [...run.about].some(streams.has);
  return {
    roomFor: async (run: Run): Promise<void> => {
      while (queue.length >= appendsInFlightMax || mustWait(run)) await land();
    },
    begin: (run: Run, landing: Promise<Position>): void => {
      landing.catch(() => undefined);
      queue.push({ run, landing });
      streams.add([run.stream]);
      about.add(run.about);
    },
    landed: async (): Promise<Position> => {
      while (queue.length > 0) await land();
      return position;
    },
    settled: () => Promise.allSettled(queue.map(({ landing }) => landing)),
  };
};

const counts = () => {
  const by = new Map<string, number>();
  const change = (names: Iterable<string>, count: number): void => {
    for (const name of names) {
      const next = (by.get(name) ?? 0) + count;
      if (next === 0) by.delete(name);
      else by.set(name, next);
    }
  };
  return {
    add: (names: Iterable<string>) => change(names, 1),
    remove: (names: Iterable<string>) => change(names, -1),
    has: (name: string) => by.has(name),
  };
};

type Placing = Pick<Run, 'stream' | 'from' | 'events'>;

const place = async (log: EventLog, run: Placing): Promise<Position> => {
  const { stream, from, events } = run;
  const appended = await appendOnce(log, stream, events.map(asNew), from === 0 ? 'none' : from - 1);
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
