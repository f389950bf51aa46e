import { type EventLog, nextRevision } from '../event-log.ts';

/** Wraps a log that treats an event id that it already has at this revision as EventStoreDB does: it acknowledges the append, whatever the
 * content, and keeps the event that it has. */
export const acknowledgingRepeats = (log: EventLog): EventLog => ({
  ...log,
  append: async (stream, events, expected) => {
    const appended = await log.append(stream, events, expected);
    if (appended.outcome === 'appended') return appended;
    const [kept] = await log.read(stream, nextRevision(expected));
    if (kept === undefined || kept.envelope.id !== events[0]?.envelope.id) return appended;
    return { outcome: 'appended', revision: kept.revision, position: kept.position };
  },
});
