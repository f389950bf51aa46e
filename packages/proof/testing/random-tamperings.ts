import { encode } from '@waymark/domain/event-types.ts';
import { commitmentTo } from '@waymark/event-log/seal.ts';
import fc from 'fast-check';
import { createCollector, type SomeEvent, someAccount, somePinpoint } from './some-history.ts';
import { renumbered } from './tamperings.ts';

/** Generates histories of some pinpoints that are created, edited and erased. */
export const anyHistory: fc.Arbitrary<readonly SomeEvent[]> = fc
  .array(fc.record({ pinpoint: fc.integer({ min: 1, max: 4 }), isErased: fc.boolean() }), { minLength: 2, maxLength: 24 })
  .map((steps) => {
    const { events, add, erase } = createCollector();
    for (const [nth, { pinpoint, isErased }] of steps.entries()) {
      const stream = `pinpoint-${pinpoint}`;
      const revision = events.filter((event) => event.stream === stream).length;
      const fields = somePinpoint(`${nth}`);
      if (revision === 0) add(stream, { type: 'PinpointCreated', account: someAccount, pinpoint, fields });
      else if (isErased)
        add(stream, { type: 'PinpointRedacted', account: someAccount, pinpoint, summary: erase(stream, revision), fields });
      else add(stream, { type: 'PinpointEdited', pinpoint, fields: { name: `${nth}` } });
    }
    return events;
  });

/** Changes a history at one place. `other` selects a second place, or what is put there. */
type Tampering = (events: readonly SomeEvent[], at: number, other: number) => readonly SomeEvent[];

const changing =
  (change: (event: SomeEvent, other: number) => SomeEvent): Tampering =>
  (events, at, other) =>
    events.map((event, nth) => (nth === at ? change(event, other) : event));

const committed = (event: SomeEvent, content: string): SomeEvent => {
  const salt = event.salt ?? Buffer.alloc(16).toString('base64url');
  return { ...event, salt, content, envelope: { ...event.envelope, commitment: commitmentTo(Buffer.from(salt, 'base64url'), content) } };
};

const another = encode({ type: 'PinpointEdited', pinpoint: 1, fields: { name: 'another' } });

/** Every kind of tampering, of an intruder who recomputes commitments and revisions. A kind may leave some histories as they are. */
export const randomTamperings: Readonly<Record<string, Tampering>> = {
  'a changed envelope': changing((event) => ({ ...event, envelope: { ...event.envelope, time: '2026-01-01T00:00:00.000Z' } })),
  'a changed content': changing((event) => (event.content === null ? event : { ...event, content: another })),
  'a changed salt': changing((event) => (event.salt === null ? event : { ...event, salt: Buffer.alloc(16).toString('base64url') })),
  'a changed commitment': changing((event) => ({ ...event, envelope: { ...event.envelope, commitment: 'A'.repeat(43) } })),
  'a content and its commitment replaced': changing((event) => committed(event, another)),
  'an event deleted': (events, at) => events.toSpliced(at, 1),
  'an event deleted, and later revisions moved up': (events, at) => renumbered(events.toSpliced(at, 1)),
  'an event inserted': (events, at, other) => renumbered(events.toSpliced(at, 0, events[other] as SomeEvent)),
  'two events swapped': (events, at, other) => events.with(at, events[other] as SomeEvent).with(other, events[at] as SomeEvent),
  'two events swapped, with their revisions': (events, at, other) =>
    renumbered(events.with(at, events[other] as SomeEvent).with(other, events[at] as SomeEvent)),
  'an event moved to another stream': (events, at, other) =>
    renumbered(changing((event) => ({ ...event, stream: `pinpoint-${(other % 4) + 1}` }))(events, at, other)),
  'a stream deleted': (events, at) => events.filter(({ stream }) => stream !== events[at]?.stream),
  'the tail cut': (events, at) => events.slice(0, at),
  'a content removed': changing((event) => ({ ...event, salt: null, content: null })),
  'a content removed, with all before it': (events, at) =>
    events.map((event, nth) => (nth <= at && event.stream === events[at]?.stream ? { ...event, salt: null, content: null } : event)),
};
