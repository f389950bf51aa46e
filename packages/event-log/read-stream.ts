import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { EventLog, Revision } from './event-log.ts';

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
