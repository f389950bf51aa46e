import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import { erasedBefore, type Redacted, redactionOf } from '@waymark/domain/redaction.ts';
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

/** Appends an event to a stream, if the events that the stream has lead to one. */
type Append = { readonly stream: string; readonly follow: (events: readonly RecordedEvent[]) => DomainEvent | undefined };

const withErasures = (events: readonly RecordedEvent[], picks: readonly (number | null)[]): Erasures => {
  const written: RecordedEvent[] = [];
  const streams = new Map<string, RecordedEvent[]>();
  /** The rest of erasures that began with an earlier event: other events lie between. */
  const rest: Append[] = [];
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
    if (stream !== undefined) rest.push(...(stream.startsWith('list-') && index % 2 === 0 ? restatement(stream) : [redaction(stream)]));
    const next = rest.shift();
    const fact = next?.follow(streams.get(next.stream) ?? []);
    const account = next && streams.get(next.stream)?.[0]?.envelope.account;
    if (next && fact && account !== undefined) write(sealed(next.stream, account, fact));
  }
  return { written, left: written.map((event) => leftOf(event, streams.get(event.stream) ?? [])) };
};

const redacted = (stream: string, events: readonly RecordedEvent[]): Redacted | undefined => {
  const folded = redactionOf(stream);
  for (const event of events) folded?.add(event);
  return folded?.fact({ count: events.length, digest: '0'.repeat(64) }, events.length);
};

/** Returns the ids of a list's members in ascending order. */
const membersOf = (stream: string, events: readonly RecordedEvent[]): readonly number[] => {
  const folded = redactionOf(stream);
  for (const event of events) folded?.add(event);
  return folded?.pieceFrom(1)?.members ?? [];
};

/** Returns the one event of an erasure. For a list it is version 1, which earlier releases wrote. */
const redaction = (stream: string): Append => ({
  stream,
  follow: (events) => {
    const fact = redacted(stream, events);
    if (fact === undefined || !('restatedFrom' in fact)) return fact;
    const { restatedFrom: _, ...rest } = fact;
    return { ...rest, members: membersOf(stream, events) };
  },
});

/** Returns the events of an erasure that restates a list's members in two ranges. */
const restatement = (stream: string): readonly Append[] => {
  let restatedFrom = 0;
  const restateRange = (from: number, to: number) => (events: readonly RecordedEvent[]) => {
    const fact = redacted(stream, events);
    if (fact?.type !== 'ListRedacted') return undefined;
    if (from === 1) restatedFrom = events.length;
    const members = membersOf(stream, events).filter((member) => member >= from && member <= to);
    return { type: 'ListMembersRestated', list: fact.list, from, to, members } as const;
  };
  const end = (events: readonly RecordedEvent[]): DomainEvent | undefined => {
    const fact = redacted(stream, events);
    return fact?.type === 'ListRedacted' && 'restatedFrom' in fact ? { ...fact, restatedFrom } : undefined;
  };
  return [restateRange(1, 3), restateRange(4, Number.MAX_SAFE_INTEGER), end].map((follow) => ({ stream, follow }));
};

const sealed = (stream: string, account: string, fact: DomainEvent) => {
  const version = fact.type === 'ListRedacted' && 'members' in fact ? 1 : eventVersions[fact.type];
  return { stream, envelope: { ...sampleEnvelope, type: fact.type, account, version }, salt: 'AAAA', content: encode(fact) };
};

const leftOf = (event: RecordedEvent, stream: readonly RecordedEvent[]): RecordedEvent => {
  const before = Math.max(0, ...stream.map((each) => erasedBefore(each) ?? 0));
  return event.revision < before ? { ...event, salt: null, content: null } : event;
};
