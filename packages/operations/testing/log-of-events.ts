import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type EventLog, type LogState, readEventsMax } from '@waymark/event-log/event-log.ts';

/** A log that is only read, and has these events in this order. */
export const logOfEvents = (
  events: readonly RecordedEvent[],
  identity: Omit<LogState, 'head'>,
): Pick<EventLog, 'read' | 'lastRevisions' | 'subscribe' | 'state'> => {
  const ofStream = (name: string): readonly RecordedEvent[] =>
    events.filter(({ stream }) => stream === name).sort((one, other) => one.revision - other.revision);
  return {
    read: async (stream, from) =>
      ofStream(stream)
        .filter(({ revision }) => revision >= from)
        .slice(0, readEventsMax),
    lastRevisions: async (streams) => streams.map((stream) => ofStream(stream).at(-1)?.revision ?? 'none'),
    subscribe: async (after, handle) => handle(events.filter(({ position }) => position > after)),
    state: async () => ({ ...identity, head: events.at(-1)?.position ?? 0 }),
  };
};
