import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { type Redacted, redactionOf } from '@waymark/domain/redaction.ts';
import { appendShared } from '../append-once.ts';
import { AppendUndecided, type Dropping, type EventLog } from '../event-log.ts';
import { readEvents } from '../read-stream.ts';
import { operators, sealFact } from '../seal.ts';
import { NotErasable, summarize } from './erasure-summary.ts';

/** The result of an erasure. */
export type Erased = {
  /** The event that records the object's current state; all events before it are erased. */
  readonly redacted: RecordedEvent;
  /** The number of events whose content is erased. */
  readonly count: number;
  readonly dropping: Dropping;
};

/** How often the erasure is restarted because another process appends meanwhile. */
const triesMax = 20;

/** Erases salt and content of all events in an object's stream. The object's current state is kept: it is recorded again in a new event.
 * The caller repeats the call where it failed at any point. A repeat has no effect where all is erased and no event was added since.
 * `prepare` runs before anything is erased.
 * @throws NotErasable, TooManyMembers, LogUnavailable, AppendUndecided, the errors of `prepare` */
export const erase = async (log: EventLog, stream: string, prepare?: (redacted: RecordedEvent) => Promise<void>): Promise<Erased> => {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const redacted = await appendRedaction(log, stream);
    if (redacted === undefined) continue;
    // This is the payload of a domain event: its names are the stored ones.
    const { summary, restatedFrom }: Pick<Redacted, 'summary'> & { readonly restatedFrom?: number } = JSON.parse(redacted.content ?? '{}');
    await prepare?.(redacted);
    const dropping = await log.eraseBefore(stream, restatedFrom ?? redacted.revision, summary);
    return { redacted, count: summary.count, dropping };
  }
  throw new AppendUndecided(`${stream} could not be erased: it changed during every try.`);
};

/** Returns the last event of the stream if it records the current state; appends such an event otherwise. Returns undefined where another
 * process appended first. */
const appendRedaction = async (log: EventLog, stream: string): Promise<RecordedEvent | undefined> => {
  const { redaction, last } = await foldStream(log, stream);
  if (last.content !== null && last.envelope.type.endsWith('Redacted')) return last;
  const before = last.revision + 1;
  const fact = redaction.fact(await summarize(log, stream, before));
  if (fact === undefined) throw new NotErasable(`The state of the object in ${stream} is no longer known.`);
  return appended(log, stream, sealed(fact, last), last.revision);
};

const foldStream = async ({ read }: EventLog, stream: string) => {
  const redaction = redactionOf(stream);
  if (redaction === undefined) throw new NotErasable(`${stream} is not the stream of an object.`);
  let last: RecordedEvent | undefined;
  for await (const event of readEvents(read, stream)) {
    redaction.add(event);
    last = event;
  }
  if (last === undefined) throw new NotErasable(`${stream} has no events.`);
  return { redaction, last };
};

const sealed = (fact: Redacted, { envelope: { account } }: RecordedEvent): NewEvent => sealFact(fact, { account, origin: operators });

/** Appends the event after a revision, and reads it back. Returns undefined where the log has another event there, or has erased this one. */
const appended = async (log: EventLog, stream: string, event: NewEvent, after: number): Promise<RecordedEvent | undefined> => {
  const placed = await appendShared(log, stream, [event], after);
  const [recorded] = placed.outcome === 'found' ? placed.present : [];
  return recorded?.content === null ? undefined : recorded;
};
