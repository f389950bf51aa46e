import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type EventLog, type Revision, readEventsMax } from './event-log.ts';

/** Yields the events of a stream from a revision on, in order, up to its present end. Reads a page when the one before it was consumed.
 * @throws LogUnavailable */
export async function* readEvents(read: EventLog['read'], stream: string, from = 0): AsyncGenerator<RecordedEvent> {
  let events: readonly RecordedEvent[];
  let next = from;
  do {
    events = await read(stream, next);
    for (const event of events) {
      yield event;
      next = event.revision + 1;
    }
  } while (events.length === readEventsMax);
}

/** The end of a stream. */
export type StreamEnd = {
  readonly revision: Revision;
  /** The event at that revision; undefined if the stream has none, or if another program wrote it. */
  readonly event: RecordedEvent | undefined;
};

/** Reads the last event of a stream. It includes every append that is acknowledged by now.
 * @throws LogUnavailable */
export const readEnd = async (log: Pick<EventLog, 'lastRevisions' | 'read'>, stream: string): Promise<StreamEnd> => {
  const [revision = 'none'] = await log.lastRevisions([stream]);
  const [event] = revision === 'none' ? [] : await log.read(stream, revision);
  return { revision, event };
};
