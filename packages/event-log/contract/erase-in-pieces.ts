import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode, encode } from '@waymark/domain/event-types.ts';
import type { ListEvent } from '@waymark/domain/list/events.ts';
import { evolve, initial } from '@waymark/domain/list/state.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import fc from 'fast-check';
import { erase } from '../erasure/erase.ts';
import { summarize } from '../erasure/erasure-summary.ts';
import type { EventLog } from '../event-log.ts';
import { newEventId, seal } from '../seal.ts';
import { appended, newStream, someFact } from '../testing/some-events.ts';
import { all, bare, failing } from './erase.ts';

const { ListCreated, ListEdited, ListDeleted, PinpointsAdded, PinpointsRemoved, ListRedacted } = sampleEvents;

const added = (pinpoints: readonly number[]): ListEvent => ({ ...PinpointsAdded, pinpoints, notAdded: [] });
const removed = (...pinpoints: readonly number[]): ListEvent => ({ ...PinpointsRemoved, pinpoints });
const edited = (name: string): ListEvent => ({ ...ListEdited, fields: { name } });
const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** The part of the contract that covers erasing a list: events before the last one restate its members. */
export const eraseInPiecesContract = (log: () => EventLog) => {
  const newList = async (...facts: readonly ListEvent[]): Promise<string> => {
    const stream = `list-${newStream().split('-')[1]}`;
    await append(stream, ListCreated, ...facts);
    return stream;
  };

  const append = async (stream: string, ...facts: readonly DomainEvent[]): Promise<void> => {
    const [last = 'none'] = await log().lastRevisions([stream]);
    const events = facts.map((fact) => someFact({ ...fact, list: Number(stream.split('-')[1]) } as DomainEvent));
    await appended(log().append(stream, events, last));
  };

  const typesOf = (events: readonly RecordedEvent[]): readonly string[] => events.map(({ envelope }) => envelope.type);

  /** Returns the state that the remaining content of a list's stream shows. */
  const stateOf = async (stream: string) => {
    const facts = (await all(log(), stream)).map((event) => decode(event) as ListEvent | undefined);
    return facts.reduce((state, fact) => (fact ? evolve(state, fact) : state), initial);
  };

  const expectMembers = async (stream: string, members: Iterable<number>): Promise<void> => {
    const state = await stateOf(stream);
    const inOrder = (ids: Iterable<number>): readonly number[] => [...ids].sort((one, other) => one - other);
    expect(inOrder('members' in state ? state.members : [])).toEqual(inOrder(members));
  };

  /** Returns a log in which writes of others come before the nth append to a stream.
   * @param written receives the events of these writes */
  const withWrites = (stream: string, writes: ReadonlyMap<number, readonly ListEvent[]>, written: ListEvent[] = []): EventLog => {
    let appends = 0;
    return {
      ...log(),
      append: async (to, events, expected) => {
        const between = to === stream ? writes.get(appends++) : undefined;
        if (between) await append(stream, ...between);
        written.push(...(between ?? []));
        return log().append(to, events, expected);
      },
    };
  };

  it('restates the members of a list in an event before the last one, and erases what is before', async () => {
    const stream = await newList(added([12, 3]), edited('Secret'));
    const before = await all(log(), stream);
    expect(await erase(log(), stream)).toMatchObject({ count: 3, redacted: { revision: 4 } });
    const after = await all(log(), stream);
    expect(after.slice(0, 3)).toEqual(before.map(bare));
    expect(after.slice(3).map(decode)).toMatchObject([
      { type: 'ListMembersRestated', from: 1, members: [3, 12] },
      { type: 'ListRedacted', summary: { count: 3 }, restatedFrom: 3, fields: { name: 'Secret' } },
    ]);
  });

  it('restates that a list has no members', async () => {
    const stream = await newList(added([12]), removed(12));
    expect(await erase(log(), stream)).toMatchObject({ count: 3, redacted: { revision: 4 } });
    expect((await all(log(), stream)).slice(3).map(decode)).toMatchObject([{ members: [] }, { type: 'ListRedacted', restatedFrom: 3 }]);
    await expectMembers(stream, []);
  });

  it('restates a long list in several events, and does not begin again after writes in between', async () => {
    const stream = await newList(added(range(1, 15_000)), added(range(15_001, 30_000)));
    const writes = new Map([
      [1, [added([30_001]), removed(5, 25_000)]],
      [2, [edited('Meanwhile')]],
      [4, [added([5])]],
    ]);
    expect(await erase(withWrites(stream, writes), stream)).toMatchObject({ count: 3 });
    const [first, ...rest] = typesOf((await all(log(), stream)).slice(3));
    const others = ['PinpointsAdded', 'PinpointsRemoved', 'ListEdited', 'PinpointsAdded'];
    expect(first).toBe('ListMembersRestated');
    expect(rest.filter((type) => others.includes(type))).toEqual(others);
    expect(rest.filter((type) => !others.includes(type))).toEqual([...Array(3).fill('ListMembersRestated'), 'ListRedacted']);
    await expectMembers(stream, [...range(1, 24_999), ...range(25_001, 30_001)]);
    expect(await stateOf(stream)).toMatchObject({ status: 'present', fields: { name: 'Meanwhile' } });
  });

  it('keeps the members of a deleted list', async () => {
    const stream = await newList(added([12, 3]), ListDeleted);
    await erase(log(), stream);
    expect(await stateOf(stream)).toMatchObject({ status: 'deleted' });
    await expectMembers(stream, [3, 12]);
  });

  it('has no effect if it is repeated, unless an event was added before it ended', async () => {
    const stream = await newList(added([12]));
    await erase(withWrites(stream, new Map([[1, [edited('Secret'), edited('Public')]]])), stream);
    expect(JSON.stringify(await all(log(), stream))).toContain('Secret');
    expect(await erase(log(), stream)).toMatchObject({ count: 6 });
    expect(JSON.stringify(await all(log(), stream))).not.toContain('Secret');
    const once = await all(log(), stream);
    await erase(log(), stream);
    expect(await all(log(), stream)).toEqual(once);
  });

  it('is completed by several callers at the same time', async () => {
    const stream = await newList(added(range(1, 15_000)));
    const outcomes = await Promise.all([erase(log(), stream), erase(log(), stream), erase(log(), stream)]);
    expect(new Set(outcomes.map(({ redacted }) => redacted.envelope.id)).size).toBe(1);
    await expectMembers(stream, range(1, 15_000));
    expect((await all(log(), stream)).slice(0, 2).map(({ content }) => content)).toEqual([null, null]);
  });

  it('completes an erasure that an earlier release began, which restates all members in the last event', async () => {
    const stream = await newList(added([12]));
    const { restatedFrom: _, ...rest } = { restatedFrom: 0, ...ListRedacted };
    const list = Number(stream.split('-')[1]);
    const fact: DomainEvent = { ...rest, list, account: 'contract', summary: await summarize(log(), stream, 2), members: [12] };
    const origin = { actor: 'contract', token: null, request: null };
    const unsealed = { id: newEventId(), account: 'contract', origin, sanitized: false };
    await appended(log().append(stream, [seal({ ...unsealed, type: fact.type, version: 1, content: encode(fact) })], 1));
    expect(await erase(log(), stream)).toMatchObject({ count: 2, redacted: { revision: 2 } });
    await expectMembers(stream, [12]);
  });

  const someWrite = fc.oneof(
    fc.uniqueArray(fc.integer({ min: 1, max: 31_000 }), { minLength: 1, maxLength: 5 }).map(added),
    fc.uniqueArray(fc.integer({ min: 1, max: 31_000 }), { minLength: 1, maxLength: 5 }).map((ids) => removed(...ids)),
    fc.constant(edited('Secret')),
  );
  const someErasure = fc.record({
    writes: fc.array(fc.tuple(fc.nat({ max: 5 }), fc.array(someWrite, { minLength: 1, maxLength: 2 })), { maxLength: 3 }),
    crash: fc.option(fc.tuple(fc.nat({ max: 8 }), fc.constantFrom('before' as const, 'after' as const))),
  });

  it('keeps the members of any list, whatever is written meanwhile and wherever it is interrupted', async () => {
    const lists = fc.array(fc.tuple(fc.integer({ min: 1, max: 30_000 }), fc.integer({ min: 1, max: 15_000 })), {
      minLength: 1,
      maxLength: 2,
    });
    await fc.assert(
      fc.asyncProperty(lists, fc.array(someErasure, { minLength: 1, maxLength: 3 }), async (members, erasures) => {
        const facts = members.map(([from, count]) => added(range(from, from + count - 1)));
        const stream = await newList(...facts);
        const expected = [ListCreated, ...facts];
        for (const { writes, crash } of erasures) {
          const { length } = await all(log(), stream);
          const raced = withWrites(stream, new Map(writes), expected);
          await erase(crash ? failing(raced, ...crash) : raced, stream).catch((error: Error) => expect(error.message).toMatch('killed'));
          await append(stream, edited('Later'));
          expected.push(edited('Later'));
          await erase(log(), stream);
          const left = await all(log(), stream);
          expect(
            left
              .slice(0, length)
              .map(({ content }) => content)
              .filter((content) => content !== null),
          ).toEqual([]);
          const state = expected.reduce(evolve, initial);
          await expectMembers(stream, 'members' in state ? state.members : []);
        }
      }),
      { numRuns: 15, endOnFailure: true },
    );
  }, 120_000);
};
