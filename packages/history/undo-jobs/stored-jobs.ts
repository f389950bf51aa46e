import type { DomainEvent, NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode, eventVersions } from '@waymark/domain/event-types.ts';
import { dryUndoStream, undoStream } from '@waymark/domain/streams.ts';
import type { UndoEvent, UndoLine } from '@waymark/domain/undo/events.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { readEnd, readEvents } from '@waymark/event-log/read-stream.ts';
import { type Origin, sealFact, sealHousekeeping } from '@waymark/event-log/seal.ts';

export type UndoStarted = Extract<UndoEvent, { type: 'UndoStarted' }>;

/** An undo job, or a dry run of one, as the log has it. */
export type StoredUndoJob = {
  readonly id: string;
  readonly isDryRun: boolean;
  /** The stream of its events. */
  readonly stream: string;
  readonly start: UndoStarted;
  /** The application that started it, and the request in which it did. */
  readonly origin: Origin;
  readonly end: Extract<UndoEvent, { type: 'UndoEnded' }> | undefined;
  /** The last revision of its stream. */
  readonly last: number;
};

type Reads = Pick<EventLog, 'read' | 'lastRevisions'>;

/** A dry run writes nothing to the history: its events have the contents of those of a run, in a stream of housekeeping. */
const dryRunPrefix = 'DryRun';

/** Seals an event of a job.
 * @param id of the event, where it is fixed already */
export const sealUndoEvent = (
  fact: UndoEvent,
  {
    account,
    origin,
    isDryRun,
    id,
  }: { readonly account: string; readonly origin: Origin; readonly isDryRun: boolean; readonly id?: string },
): NewEvent => {
  if (!isDryRun) return sealFact(fact, { account, origin, ...(id === undefined ? {} : { id }) });
  const { type, ...content } = fact;
  const event = { type: `${dryRunPrefix}${type}`, version: eventVersions[type], content, origin };
  return sealHousekeeping(id === undefined ? event : { ...event, id });
};

export const streamOfJob = (id: string, isDryRun: boolean): string => (isDryRun ? dryUndoStream : undoStream)(id);

/** Returns a job; undefined if there is none with this id.
 * @throws LogUnavailable, NewerEvent */
export const readUndoJob = async (log: Reads, id: string): Promise<StoredUndoJob | undefined> =>
  (await readFrom(log, id, false)) ?? (await readFrom(log, id, true));

const readFrom = async (log: Reads, id: string, isDryRun: boolean): Promise<StoredUndoJob | undefined> => {
  const stream = streamOfJob(id, isDryRun);
  const { revision, event: last } = await readEnd(log, stream);
  if (last === undefined || revision === 'none') return undefined;
  const [first] = await log.read(stream, 0);
  const start = first && undoEventIn(first);
  if (first === undefined || start?.type !== 'UndoStarted') return undefined;
  const { actor, token, request } = first.envelope;
  const end = undoEventIn(last);
  return {
    ...{ id, isDryRun, stream, start },
    origin: { actor, token, request },
    end: end?.type === 'UndoEnded' ? end : undefined,
    last: revision,
  };
};

/** Returns the lines of an event of a job; none if it is no report. */
export const undoLinesIn = (event: RecordedEvent): readonly UndoLine[] => {
  const fact = undoEventIn(event);
  return fact?.type === 'UndoReported' ? fact.lines : [];
};

/** Yields all lines of a job.
 * @throws LogUnavailable */
export async function* undoLinesOf({ read }: Reads, { stream }: Pick<StoredUndoJob, 'stream'>): AsyncGenerator<UndoLine> {
  for await (const event of readEvents(read, stream)) yield* undoLinesIn(event);
}

const undoEventIn = (event: RecordedEvent): DomainEvent | undefined => {
  const { type } = event.envelope;
  if (!type.startsWith(dryRunPrefix)) return decode(event);
  return event.content === null ? undefined : { ...JSON.parse(event.content), type: type.slice(dryRunPrefix.length) };
};
