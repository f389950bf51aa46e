// Long because it names every kind of tampering.
import { encode } from '@waymark/domain/event-types.ts';
import { commitmentTo } from '@waymark/event-log/seal.ts';
import { type SomeEvent, someHistory } from './some-history.ts';

export const history = someHistory();

/** The place of an event in the account's history. */
export const at = (stream: string, revision: number): number =>
  history.findIndex((one) => one.stream === stream && one.revision === revision);
export const atPinpoint = (revision: number): number => at('pinpoint-1', revision);

type Change = (event: SomeEvent) => SomeEvent;
export const changed = (nth: number, change: Change): readonly SomeEvent[] =>
  history.map((event, index) => (index === nth ? change(event) : event));

export const withEnvelope =
  (envelope: Partial<SomeEvent['envelope']>): Change =>
  (event) => ({ ...event, envelope: { ...event.envelope, ...envelope } });

/** Replaces the content, with a commitment that matches it. */
const withContent =
  (content: string): Change =>
  (event) => {
    const commitment = commitmentTo(Buffer.from(event.salt ?? '', 'base64url'), content);
    return { ...event, content, envelope: { ...event.envelope, commitment } };
  };

/** Numbers the revisions of each stream again, without a gap. */
export const renumbered = (events: readonly SomeEvent[]): readonly SomeEvent[] => {
  const next = new Map<string, number>();
  return events.map((event) => {
    const revision = next.get(event.stream) ?? 0;
    next.set(event.stream, revision + 1);
    return { ...event, revision };
  });
};

const swapped = (one: number, other: number): readonly SomeEvent[] => {
  const [first, second] = [history[one] as SomeEvent, history[other] as SomeEvent];
  return history.with(one, { ...second, revision: first.revision }).with(other, { ...first, revision: second.revision });
};

const renamed = encode({ type: 'PinpointEdited', pinpoint: 1, fields: { name: 'Another name' } });
const redaction: object = JSON.parse(history[at('pinpoint-2', 2)]?.content ?? '{}');

/** The tamperings of an intruder who recomputes commitments, revisions and proofs, but cannot sign. Each with the finding in the account's
 * export, and in that of pinpoint-1 where it is one there. */
export const tamperings: readonly (readonly [string, readonly SomeEvent[], string, string?])[] = [
  ['a changed envelope', changed(atPinpoint(1), withEnvelope({ actor: 'app-2' })), 'The first 14 events', 'its proof does not show'],
  ['a changed time', changed(atPinpoint(1), withEnvelope({ time: '2026-11-25T08:00:00.000Z' })), 'The first 14', 'its proof does not show'],
  ['a changed content', changed(atPinpoint(1), (one) => ({ ...one, content: renamed })), 'does not match its commitment', 'does not'],
  [
    'a changed salt',
    changed(atPinpoint(1), (one) => ({ ...one, salt: history[atPinpoint(0)]?.salt ?? null })),
    'does not match its commitment',
    'does not match its commitment',
  ],
  [
    'a salt that took the first byte of the content, under the same commitment',
    changed(atPinpoint(1), ({ salt, content, ...one }) => ({
      ...one,
      salt: Buffer.from(`${Buffer.from(salt ?? '', 'base64url').toString('latin1')}${content?.[0]}`, 'latin1').toString('base64url'),
      content: content?.slice(1) ?? null,
    })),
    'does not match its commitment',
    'does not match its commitment',
  ],
  [
    'a changed commitment',
    changed(atPinpoint(1), withEnvelope({ commitment: 'A'.repeat(43) })),
    'The first 14 events',
    'does not match its commitment',
  ],
  ['a content and its commitment replaced', changed(atPinpoint(1), withContent(renamed)), 'The first 14 events', 'its proof does not show'],
  ['an event deleted', history.toSpliced(atPinpoint(1), 1), 'pinpoint-1, revision 2: it follows revision 0.', 'it follows revision 0.'],
  [
    'an event deleted, and later revisions moved up',
    renumbered(history.toSpliced(atPinpoint(1), 1)),
    'The export has 13 of the 14 events',
    'its proof does not show',
  ],
  [
    'an event inserted',
    renumbered(history.toSpliced(atPinpoint(1), 0, history[atPinpoint(1)] as SomeEvent)),
    'The export has more events than the 14',
    'its proof does not show',
  ],
  ['an event replaced by one of another stream', history.with(atPinpoint(1), history[at('list-1', 3)] as SomeEvent), 'The first 14 events'],
  ['two events swapped', swapped(atPinpoint(1), atPinpoint(2)), 'The first 14 events', 'its proof does not show'],
  [
    'two events swapped in the order of the account',
    history.with(atPinpoint(1), history[at('list-1', 1)] as SomeEvent).with(at('list-1', 1), history[atPinpoint(1)] as SomeEvent),
    'The first 14 events',
    'its proof does not show',
  ],
  [
    'an event moved to another stream',
    renumbered(changed(atPinpoint(1), (one) => ({ ...one, stream: 'pinpoint-3' }))),
    'The first 14 events',
    'its proof does not show',
  ],
  [
    'a stream deleted',
    history.filter(({ stream }) => stream !== 'pinpoint-1'),
    'The export has 10 of the 14 events',
    'The export has no event.',
  ],
  ['the tail cut', history.slice(0, -1), 'The export has 13 of the 14 events'],
  [
    'a content removed without an erasure',
    changed(atPinpoint(0), (one) => ({ ...one, salt: null, content: null })),
    'pinpoint-1: the contents of the first 1 events are missing',
    'are missing',
  ],
  [
    'a later content removed',
    changed(atPinpoint(1), (one) => ({ ...one, salt: null, content: null })),
    'the content is missing, but not that of every earlier event',
    'the content is missing',
  ],
  [
    'a content kept without its salt',
    changed(atPinpoint(1), (one) => ({ ...one, salt: null, content: renamed })),
    'does not match its commitment',
    'does not match its commitment',
  ],
  [
    'the contents of an erasure removed',
    changed(at('pinpoint-2', 2), (one) => ({ ...one, salt: null, content: null })),
    'pinpoint-2: the contents of the first 3 events are missing',
  ],
  [
    'the summary of an erasure changed',
    changed(at('pinpoint-2', 2), withContent(JSON.stringify({ ...redaction, summary: { count: 2, digest: '0'.repeat(64) } }))),
    'its summary does not match the erased events',
  ],
  [
    'an event that another account owns',
    changed(atPinpoint(1), withEnvelope({ account: 'another' })),
    'it belongs to another account',
    'it belongs to another account',
  ],
];
