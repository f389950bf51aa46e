import type { RecordedEvent } from '@waymark/domain/event.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import { renumbered, withContent } from './rewritten.ts';

type Events = readonly RecordedEvent[];

/** Changes a log at one event. `other` is a second event, or selects what is put there. */
export type Tampering = (events: Events, at: number, other: number) => Events;

const changing =
  (change: (event: RecordedEvent, other: number) => RecordedEvent): Tampering =>
  (events, at, other) =>
    events.map((event, nth) => (nth === at ? change(event, other) : event));

const withEnvelope = (event: RecordedEvent, envelope: Partial<RecordedEvent['envelope']>): RecordedEvent => ({
  ...event,
  envelope: { ...event.envelope, ...envelope },
});

const another = JSON.stringify({ pinpoint: 1, fields: { name: 'Another tower' } });
const bare = (event: RecordedEvent): RecordedEvent => ({ ...event, salt: null, content: null });

/** Puts two events into each other's place in the order of the log. */
const swapped: Tampering = (events, at, other) => {
  const [one, two] = [events[at] as RecordedEvent, events[other] as RecordedEvent];
  return events.with(at, { ...two, position: one.position }).with(other, { ...one, position: two.position });
};

const streamAt = (events: Events, at: number): string => events[at]?.stream ?? '';

/** What an intruder can do to one event, or from one event on, who recomputes commitments, revisions and the records of checkpoints, but cannot
 * sign. */
export const tamperings = {
  'a changed envelope': changing((event) => withEnvelope(event, { time: '2026-01-01T00:00:00.000Z' })),
  'a changed account': changing((event) => withEnvelope(event, { account: event.envelope.account === 'acme' ? 'other' : 'acme' })),
  'a changed content': changing((event) => (event.content === null ? event : { ...event, content: another })),
  'a changed salt': changing((event) => (event.salt === null ? event : { ...event, salt: Buffer.alloc(16).toString('base64url') })),
  'a changed commitment': changing((event) => withEnvelope(event, { commitment: 'A'.repeat(43) })),
  'a content and its commitment replaced': changing((event) => withContent(event, another)),
  'an event deleted': (events, at) => events.toSpliced(at, 1),
  'an event deleted, and later revisions moved up': (events, at) => renumbered(events.toSpliced(at, 1)),
  'an event inserted': (events, at, other) =>
    renumbered(events.toSpliced(at, 0, { ...(events[other] as RecordedEvent), position: events[at]?.position ?? 0 })),
  'two events swapped': swapped,
  'two events swapped, with their revisions': (events, at, other) => renumbered(swapped(events, at, other)),
  'an event moved to another stream': (events, at, other) => {
    const [from, to] = [streamAt(events, at), streamAt(events, other)];
    return renumbered(changing((event) => ({ ...event, stream: from === to ? 'pinpoint-99' : to }))(events, at, other));
  },
  'a stream deleted': (events, at) => events.filter(({ stream }) => stream !== streamAt(events, at)),
  'the tail cut': (events, at) => events.slice(0, at),
  'the tail of the history cut': (events, at) => events.filter(({ stream }, nth) => nth < at || !isHistory(stream)),
  'a content removed': changing(bare),
  'a content removed, with all before it': (events, at) =>
    events.map((event, nth) => (nth <= at && event.stream === streamAt(events, at) ? bare(event) : event)),
} satisfies Readonly<Record<string, Tampering>>;
