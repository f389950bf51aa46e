import type { ApplicationEvent } from '@waymark/domain/application/events.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import { recorded } from '@waymark/domain/testing/samples.ts';
import { type EventLog, readEventsMax } from '@waymark/event-log/event-log.ts';

/** The first event of an application, for tests. */
export const registered: Extract<ApplicationEvent, { readonly type: 'ApplicationRegistered' }> = {
  type: 'ApplicationRegistered',
  account: 'account-1',
  application: 'app-1',
  name: 'Museum CMS',
  scopes: ['write', 'read'],
  secret: { id: 'secret-1', hash: 'hash-1' },
};

/** Creates a log with the stream of one application, for tests. The log counts its calls. A test appends by pushing onto `events`. */
export const applicationLog = (history: readonly (ApplicationEvent | 'erased')[]) => {
  const events = [...history];
  const asked = { last: 0, read: 0 };
  const log: EventLog = {
    lastRevisions: async (streams) => {
      asked.last += 1;
      return streams.map(() => (events.length === 0 ? 'none' : events.length - 1));
    },
    read: async (_stream, from) => {
      asked.read += 1;
      return events.slice(from, from + readEventsMax).map((event, index) => recordedAs(event, from + index));
    },
    owners: () => Promise.reject(new Error('This test log supports lastRevisions, not owners.')),
    append: () => Promise.reject(new Error('This test log is read-only.')),
    subscribe: () => Promise.reject(new Error('This test log has no subscriptions.')),
    eraseBefore: () => Promise.reject(new Error('This test log is read-only.')),
    state: () => Promise.resolve({ incarnation: 'x', installation: 'x', head: events.length }),
  };
  return { log, events, asked };
};

const recordedAs = (event: ApplicationEvent | 'erased', revision: number): RecordedEvent => {
  const recording = event === 'erased' ? recorded('SecretAdded', 1, null) : recorded(event.type, eventVersions[event.type], encode(event));
  return { ...recording, stream: 'application-app-1', revision, position: revision + 1 };
};
