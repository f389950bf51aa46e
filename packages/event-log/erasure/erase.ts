import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { type Redacted, redactionOf } from '@waymark/domain/redaction.ts';
import { AppendUndecided, type Dropping, type EventLog, readEventsMax } from '../event-log.ts';
import { operators, sealFact } from '../seal.ts';
import { NotErasable, summarize } from './erasure-summary.ts';

/** What an erasure came to. */
export type Erased = {
  /** The event that says what goes on being so: all before it is erased. */
  readonly redacted: RecordedEvent;
  /** Events whose content is gone. */
  readonly count: number;
  readonly dropping: Dropping;
};

/** How often it is begun anew because somebody else appends meanwhile. */
const triesMax = 20;

/** Erases salt and content of all that the stream of an object holds; what the object is stays, said anew. To be called again where it
 * failed at any point, and of no further effect where all was erased and nothing has happened since.
 * `prepare`: is done before anything is lost.
 * @throws NotErasable, TooManyMembers, LogUnavailable, AppendUndecided, what `prepare` throws */
export const erase = async (log: EventLog, stream: string, prepare?: (redacted: RecordedEvent) => Promise<void>): Promise<Erased> => {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const redacted = await redactedIn(log, stream);
    if (redacted === undefined) continue;
    // A payload of a domain event: its names are the stored ones.
    const { summary }: Pick<Redacted, 'summary'> = JSON.parse(redacted.content ?? '{}');
    await prepare?.(redacted);
    const dropping = await log.eraseBefore(stream, redacted.revision, summary);
    return { redacted, count: summary.count, dropping };
  }
  throw new AppendUndecided(`${stream} is being changed all the time.`);
};

/** The event that stands last in the stream and says what goes on being so; undefined where somebody else was faster. */
const redactedIn = async (log: EventLog, stream: string): Promise<RecordedEvent | undefined> => {
  const { redaction, last } = await folded(log, stream);
  if (last.content !== null && last.envelope.type.endsWith('Redacted')) return last;
  const before = last.revision + 1;
  const fact = redaction.fact(await summarize(log, stream, before));
  if (fact === undefined) throw new NotErasable(`What ${stream} is about is not known any more.`);
  return appended(log, stream, sealed(fact, last), last.revision);
};

const folded = async ({ read }: EventLog, stream: string) => {
  const redaction = redactionOf(stream);
  if (redaction === undefined) throw new NotErasable(`${stream} is not the stream of an object.`);
  let last: RecordedEvent | undefined;
  for (let more = true; more; ) {
    const events = await read(stream, (last?.revision ?? -1) + 1);
    for (const event of events) redaction.take(event);
    last = events.at(-1) ?? last;
    more = events.length === readEventsMax;
  }
  if (last === undefined) throw new NotErasable(`There is nothing in ${stream}.`);
  return { redaction, last };
};

const sealed = (fact: Redacted, { envelope: { account } }: RecordedEvent): NewEvent => sealFact(fact, { account, origin: operators });

/** What stands in the stream after the event that it was to follow, if that is it. */
const appended = async (log: EventLog, stream: string, event: NewEvent, after: number): Promise<RecordedEvent | undefined> => {
  const outcome = await log.append(stream, [event], after).catch(undecided);
  if (outcome?.outcome === 'conflict') return undefined;
  const [found] = await log.read(stream, after + 1);
  return found?.envelope.id === event.envelope.id && found.content !== null ? found : undefined;
};

const undecided = (error: unknown): undefined => {
  if (!(error instanceof AppendUndecided)) throw error;
};
