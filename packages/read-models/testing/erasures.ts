import type { RecordedEvent } from '@waymark/domain/event.ts';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import { redactionOf } from '@waymark/domain/redaction.ts';
import { sampleEnvelope } from '@waymark/domain/testing/samples.ts';
import fc from 'fast-check';
import { histories } from './histories.ts';

/** One log as it was written, and as it is delivered after its erasures. */
export type Erasures = { readonly written: readonly RecordedEvent[]; readonly left: readonly RecordedEvent[] };

/** Generates histories in which some objects are erased, some of them more than once. */
export const erasures = (steps: { minLength?: number; maxLength: number }): fc.Arbitrary<Erasures> =>
  fc
    .tuple(histories(steps), fc.array(fc.option(fc.nat({ max: 1_000_000 }), { freq: 3 }), { minLength: 1, maxLength: 20 }))
    .map(([{ events }, picks]) => withErasures(events, picks));

const withErasures = (events: readonly RecordedEvent[], picks: readonly (number | null)[]): Erasures => {
  const written: RecordedEvent[] = [];
  const streams = new Map<string, RecordedEvent[]>();
  const write = (event: Omit<RecordedEvent, 'revision' | 'position'>): void => {
    const stream = streams.get(event.stream) ?? [];
    const position = written.length * 2 + 1;
    const placed = { ...event, revision: stream.length, position, envelope: { ...event.envelope, id: `event-${position}` } };
    streams.set(event.stream, [...stream, placed]);
    written.push(placed);
  };
  for (const [index, event] of events.entries()) {
    write(event);
    const pick = picks[index % picks.length] ?? null;
    const stream = pick === null ? undefined : written[pick % written.length]?.stream;
    const follows = stream && redacted(stream, streams.get(stream) ?? []);
    if (follows) write(follows);
  }
  return { written, left: written.map((event) => leftOf(event, streams.get(event.stream) ?? [])) };
};

const redacted = (stream: string, events: readonly RecordedEvent[]) => {
  const redaction = redactionOf(stream);
  for (const event of events) redaction?.add(event);
  const fact = redaction?.fact({ count: events.length, digest: '0'.repeat(64) });
  if (fact === undefined) return undefined;
  const { type, account } = fact;
  return { stream, envelope: { ...sampleEnvelope, type, account, version: eventVersions[type] }, salt: 'AAAA', content: encode(fact) };
};

const leftOf = (event: RecordedEvent, stream: readonly RecordedEvent[]): RecordedEvent => {
  const before = stream.findLast(({ envelope }) => envelope.type.endsWith('Redacted'))?.revision ?? 0;
  return event.revision < before ? { ...event, salt: null, content: null } : event;
};
