import type { ErasureSummary } from '@waymark/domain/erasure-summary.ts';
import type { DomainEvent, NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { erasedBefore, type Redacted } from '@waymark/domain/redaction.ts';
import { appendShared } from '../append-once.ts';
import { AppendUndecided, type Dropping, type EventLog } from '../event-log.ts';
import { operators, sealFact } from '../seal.ts';
import { NotErasable, summarize } from './erasure-summary.ts';
import { createStreamReader } from './stream-reader.ts';

/** The result of an erasure. */
export type Erased = {
  /** The event that completes the erasure: it records the object's current state, or names the first of the events that do. */
  readonly redacted: RecordedEvent;
  /** The number of events whose content is erased. */
  readonly count: number;
  readonly dropping: Dropping;
};

/** How often an event of the erasure is decided again because another process appends first. */
const triesMax = 20;

/** Erases salt and content of all events in an object's stream. The object's current state is kept: it is recorded again in new events, after
 * which other events may lie that were added meanwhile. The caller repeats the call where it failed at any point. A repeat has no effect where
 * all is erased and no event was added since.
 * `prepare` runs before anything is erased.
 * @throws NotErasable, LogUnavailable, AppendUndecided, the errors of `prepare` */
export const erase = async (log: EventLog, stream: string, prepare?: (redacted: RecordedEvent) => Promise<void>): Promise<Erased> => {
  const redacted = await appendRedaction(log, stream);
  // This is the payload of a domain event: its names are the stored ones.
  const { summary }: Pick<Redacted, 'summary'> = JSON.parse(redacted.content ?? '{}');
  await prepare?.(redacted);
  const dropping = await log.eraseBefore(stream, erasedBefore(redacted) ?? redacted.revision, summary);
  return { redacted, count: summary.count, dropping };
};

/** Returns the event that records the current state, if the stream has it already. Appends it otherwise, and before it the pieces of a state
 * that is too large for one event. Each is appended at the revision that was read. After a conflict, only the events since then are read. */
const appendRedaction = async (log: EventLog, stream: string): Promise<RecordedEvent> => {
  const { redaction, readOn } = createStreamReader(log.read, stream);
  const summaryBefore = createSummaries(log, stream);
  let [nextId, restatedFrom]: [number, number | undefined] = [1, undefined];
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { erased, last } = await readOn();
    if (erased !== undefined) return erased;
    const piece = redaction.pieceFrom(nextId);
    const before: number = restatedFrom ?? last.revision + 1;
    const fact = piece ?? redaction.fact(await summaryBefore(before), before);
    if (fact === undefined) throw new NotErasable(`The state of the object in ${stream} is no longer known.`);
    const recorded = await appended(log, stream, sealed(fact, last), last.revision);
    if (recorded === undefined) continue;
    if (piece === undefined) return recorded;
    [nextId, restatedFrom, tries] = [piece.to + 1, before, 0];
  }
  throw new AppendUndecided(`${stream} could not be erased: it changed during every try.`);
};

/** Writes the summary of the events before a revision, once as long as the revision stays the same. */
const createSummaries = (log: EventLog, stream: string) => {
  let written: { readonly before: number; readonly summary: ErasureSummary } | undefined;
  return async (before: number): Promise<ErasureSummary> => {
    if (written?.before !== before) written = { before, summary: await summarize(log, stream, before) };
    return written.summary;
  };
};

const sealed = (fact: DomainEvent, { envelope: { account } }: RecordedEvent): NewEvent => sealFact(fact, { account, origin: operators });

/** Appends the event after a revision, and reads it back. Returns undefined where the log has another event there, or has erased this one. */
const appended = async (log: EventLog, stream: string, event: NewEvent, after: number): Promise<RecordedEvent | undefined> => {
  const placed = await appendShared(log, stream, [event], after);
  const [recorded] = placed.outcome === 'found' ? placed.present : [];
  return recorded?.content === null ? undefined : recorded;
};
