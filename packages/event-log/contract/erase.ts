import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { erasuresStream, redactedStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { erase } from '../erasure/erase.ts';
import { NotErasable, pieceBytesMax, summarize } from '../erasure/erasure-summary.ts';
import { AppendUndecided, type EventLog, LogUnavailable, type Position } from '../event-log.ts';
import { commitmentTo } from '../seal.ts';
import { appended, idsOf, newStream, someFact } from '../testing/some-events.ts';
import { subscribeUntil } from './subscribe.ts';

const { PinpointCreated, PinpointEdited, PinpointDeleted } = sampleEvents;

const edited = (name: string): DomainEvent => ({ ...PinpointEdited, fields: { name } });
/** Returns the id of the pinpoint that the stream belongs to. It has to match, because a cluster may later project the same log. */
const pinpointIn = (stream: string) => ({ pinpoint: Number(stream.split('-')[1]) });
const facts = (stream: string, ...says: readonly DomainEvent[]) => says.map((fact) => someFact({ ...fact, ...pinpointIn(stream) }));
export const bare = (event: RecordedEvent): RecordedEvent => ({ ...event, salt: null, content: null });

/** Returns all events of a stream. */
export const all = async (log: EventLog, stream: string): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (let more = true; more; ) {
    const page = await log.read(stream, events.length);
    events.push(...page);
    more = page.length > 0;
  }
  return events;
};

/** Returns the events of a stream that a subscription delivers, up to the last event that the stream has now. */
const delivered = async (log: EventLog, stream: string, after: Position): Promise<RecordedEvent[]> => {
  const last = (await all(log, stream)).at(-1)?.envelope.id;
  return (await subscribeUntil(log, after, last)).filter((event) => event.stream === stream);
};

/** Returns a log whose nth write fails, before or after it is done. */
export const failing = (log: EventLog, nth: number, when: 'before' | 'after'): EventLog => {
  let writes = 0;
  const cut = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    const fails = writes++ === nth;
    if (fails && when === 'before') throw new LogUnavailable('killed before');
    const result = await write();
    if (fails) throw new LogUnavailable('killed after');
    return result;
  };
  return {
    ...log,
    append: (...append) => cut(() => log.append(...append)),
    eraseBefore: (...forget) => cut(() => log.eraseBefore(...forget)),
  };
};

/** The part of the contract that covers erasing. */
export const eraseContract = (log: () => EventLog) => {
  /** The head of the log before each stream began. */
  const beginnings = new Map<string, Position>();
  const begun = async (...says: readonly DomainEvent[]): Promise<string> => {
    const stream = newStream();
    beginnings.set(stream, (await log().state()).head);
    await appended(log().append(stream, facts(stream, ...says), 'none'));
    return stream;
  };

  /** Checks that all events are erased, and that the stream records the current state again. */
  const expectErased = async (stream: string, before: readonly RecordedEvent[], says: object): Promise<void> => {
    const after = await all(log(), stream);
    expect(after.slice(0, before.length)).toEqual(before.map(bare));
    const redacted = after[before.length];
    expect(redacted).toMatchObject({ revision: before.length, envelope: { type: 'PinpointRedacted', actor: 'operator' } });
    expect(JSON.parse(redacted?.content ?? '')).toMatchObject({ ...pinpointIn(stream), ...says });
    expect(commitmentTo(Buffer.from(redacted?.salt ?? '', 'base64url'), redacted?.content ?? '')).toBe(redacted?.envelope.commitment);
    expect(await delivered(log(), stream, beginnings.get(stream) ?? 0)).toEqual(after);
  };

  it('keeps envelopes, revisions and positions, and records the current state again', async () => {
    const stream = await begun(PinpointCreated, edited('One'), edited('Two'));
    const before = await all(log(), stream);
    const { redacted, count } = await erase(log(), stream);
    expect([redacted.revision, count]).toEqual([3, 3]);
    await expectErased(stream, before, { fields: { ...PinpointCreated.fields, name: 'Two' }, summary: { count: 3 } });
    expect(await delivered(log(), stream, 0)).toEqual(await all(log(), stream));
  }, 60_000); // the log may already hold many events

  it('records of a deleted object only that it is deleted', async () => {
    const stream = await begun(PinpointCreated, PinpointDeleted);
    const before = await all(log(), stream);
    await erase(log(), stream);
    await expectErased(stream, before, { fields: null, summary: { count: 2 } });
  });

  it('lets the stream continue after its last revision', async () => {
    const stream = await begun(PinpointCreated, edited('One'));
    const { redacted } = await erase(log(), stream);
    expect(await log().lastRevisions([stream])).toEqual([2]);
    expect(await log().append(stream, facts(stream, edited('Two')), 'none')).toEqual({ outcome: 'conflict' });
    expect(await log().append(stream, facts(stream, edited('Two')), 1)).toEqual({ outcome: 'conflict' });
    const next = await appended(log().append(stream, facts(stream, edited('Two')), 2));
    expect(next.revision).toBe(3);
    expect(next.position).toBeGreaterThan(redacted.position);
    expect((await log().read(stream, 2)).map(({ revision }) => revision)).toEqual([2, 3]);
    expect((await log().read(stream, 1)).map(({ content }) => content === null)).toEqual([true, false, false]);
  });

  it('delivers the erased events as envelopes, from the start and from the middle, between events of other streams', async () => {
    const stream = await begun(PinpointCreated);
    const other = await begun(PinpointCreated);
    const { position } = await appended(log().append(stream, facts(stream, edited('One')), 0));
    await log().append(other, facts(other, edited('Else')), 0);
    await log().append(stream, facts(stream, edited('Two'), edited('Three')), 1);
    const before = await all(log(), other);
    await erase(log(), stream);
    const after = await all(log(), stream);
    const last = after.at(-1)?.envelope.id;
    const seen = (await subscribeUntil(log(), beginnings.get(stream) ?? 0, last)).filter((event) => [stream, other].includes(event.stream));
    expect(seen).toEqual([...after, ...before].sort((one, another) => one.position - another.position));
    expect(await delivered(log(), stream, position)).toEqual(after.slice(2));
    expect(await all(log(), other)).toEqual(before);
  });

  it('can be repeated after new events, and has no effect otherwise', async () => {
    const stream = await begun(PinpointCreated, edited('One'));
    const { redacted } = await erase(log(), stream);
    const { head } = await log().state();
    expect((await erase(log(), stream)).redacted).toEqual(redacted);
    expect((await log().state()).head).toBe(head);
    await log().append(stream, facts(stream, edited('Two'), edited('Three')), 2);
    const before = await all(log(), stream);
    expect(await erase(log(), stream)).toMatchObject({ count: 5, redacted: { revision: 5 } });
    await expectErased(stream, before, { fields: { ...PinpointCreated.fields, name: 'Three' }, summary: { count: 5 } });
  });

  it.each(['before', 'after'] as const)('is completed by a repeat, wherever it was interrupted (%s a write)', async (when) => {
    for (let nth = 0; nth < 3; nth += 1) {
      const stream = await begun(PinpointCreated, edited('One'));
      const before = await all(log(), stream);
      await expect(erase(failing(log(), nth, when), stream)).rejects.toThrow('killed');
      await erase(log(), stream);
      await expectErased(stream, before, { summary: { count: 2 } });
      expect(await all(log(), stream)).toHaveLength(3);
    }
  });

  it('covers the events that were appended after an interruption', async () => {
    for (let nth = 0; nth < 3; nth += 1) {
      const stream = await begun(PinpointCreated, edited('One'));
      await expect(erase(failing(log(), nth, 'after'), stream)).rejects.toThrow('killed');
      const [last] = await log().lastRevisions([stream]);
      await appended(log().append(stream, facts(stream, edited('Later')), last ?? 'none'));
      const before = await all(log(), stream);
      await erase(log(), stream);
      await expectErased(stream, before, { fields: { ...PinpointCreated.fields, name: 'Later' } });
    }
  });

  it('handles an append whose outcome is unknown', async () => {
    const undecided: EventLog = {
      ...log(),
      append: async (stream, events, expected) => {
        const outcome = await log().append(stream, events, expected);
        if (outcome.outcome === 'appended') throw new AppendUndecided('cut off');
        return outcome;
      },
    };
    const stream = await begun(PinpointCreated, edited('One'));
    const before = await all(log(), stream);
    await erase(undecided, stream);
    await expectErased(stream, before, { summary: { count: 2 } });
    expect(await all(log(), stream)).toHaveLength(3);
  });

  it('erases events that are appended while it is in progress, and keeps later ones', async () => {
    const stream = await begun(PinpointCreated);
    let races = 0;
    const raced: EventLog = {
      ...log(),
      append: async (to, events, expected) => {
        if (to === stream && races++ === 0) await appended(log().append(stream, facts(stream, edited('Faster')), 0));
        return log().append(to, events, expected);
      },
      eraseBefore: async (...forget) => {
        await appended(log().append(stream, facts(stream, edited('After')), 2));
        return log().eraseBefore(...forget);
      },
    };
    await erase(raced, stream);
    const after = await all(log(), stream);
    expect(after.map(({ content }) => content === null)).toEqual([true, true, false, false]);
    expect(JSON.parse(after[2]?.content ?? '')).toMatchObject({ fields: { name: 'Faster' }, summary: { count: 2 } });
  });

  it('happens once where several callers erase at the same time', async () => {
    const stream = await begun(PinpointCreated, edited('One'));
    const before = await all(log(), stream);
    const outcomes = await Promise.all([erase(log(), stream), erase(log(), stream), erase(log(), stream)]);
    expect(new Set(outcomes.map(({ redacted }) => redacted.envelope.id)).size).toBe(1);
    await expectErased(stream, before, { summary: { count: 2 } });
    expect(await all(log(), stream)).toHaveLength(3);
  });

  it('first writes the remaining envelopes in pieces, each event once, and then records the erased stream', async () => {
    const stream = await begun(PinpointCreated);
    for (let from = 0; from < 2_000; from += 500) {
      await log().append(stream, facts(stream, ...Array.from({ length: 500 }, (_, index) => edited(`Name ${from + index}`))), from);
    }
    const before = await all(log(), stream);
    await erase(log(), stream);
    await expectErased(stream, before, { fields: { ...PinpointCreated.fields, name: 'Name 1999' }, summary: { count: 2_001 } });
    const pieces = (await all(log(), redactedStream(stream))).map(({ content }) => content ?? '');
    expect(pieces.length).toBeGreaterThan(1);
    expect(Math.max(...pieces.map((piece) => Buffer.byteLength(piece)))).toBeLessThanOrEqual(pieceBytesMax);
    const left = pieces.flatMap((piece) => JSON.parse(piece).events);
    expect(left).toEqual(before.map(({ revision, position, envelope }) => ({ revision, position, envelope })));
    const named = (await all(log(), erasuresStream)).map(({ content }) => JSON.parse(content ?? ''));
    expect(named.at(-1)).toMatchObject({ stream, before: 2_001, first: before[0]?.position, last: before.at(-1)?.position });
  });

  it('is refused without a summary of exactly these events', async () => {
    const stream = await begun(PinpointCreated, edited('One'));
    const before = await all(log(), stream);
    const { digest } = await summarize(log(), stream, 2);
    for (const [revision, summary] of [
      [3, { count: 3, digest }],
      [1, { count: 2, digest }],
      [2, { count: 2, digest: 'another' }],
    ] as const) {
      await expect(log().eraseBefore(stream, revision, summary)).rejects.toThrow(RangeError);
    }
    expect(await all(log(), stream)).toEqual(before);
  });

  it('is refused for a stream of no object, and for a missing stream', async () => {
    const application = `application-${newStream()}`;
    await log().append(application, [someFact({ ...sampleEvents.ApplicationRegistered, application })], 'none');
    await expect(erase(log(), application)).rejects.toThrow(NotErasable);
    await expect(erase(log(), newStream())).rejects.toThrow(NotErasable);
    expect(idsOf(await log().read(application, 0))).toHaveLength(1);
  });
};
