import fc from 'fast-check';
import { sampleEvents } from '../testing/samples.ts';
import type { ListEvent, ListMembersRestated } from './events.ts';
import { lastId, membersRestatedMax } from './member-ranges.ts';
import { redactionOfList } from './redaction.ts';
import { evolve, initial } from './state.ts';

const { ListCreated, ListEdited, ListDeleted, ListRestored, ListRedacted, ListMembersRestated: Restated } = sampleEvents;
const { list, account, fields } = ListCreated;
const summary = { count: 2, digest: 'd' };
const added = (...pinpoints: readonly number[]): ListEvent => ({ type: 'PinpointsAdded', list, pinpoints, notAdded: [] });
const removed = (...pinpoints: readonly number[]): ListEvent => ({ type: 'PinpointsRemoved', list, pinpoints });
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

const afterEvents = (...events: readonly ListEvent[]) => {
  const redaction = redactionOfList(list);
  for (const event of events) redaction.add(event);
  return redaction;
};

const piecesOf = ({ pieceFrom }: ReturnType<typeof redactionOfList>): readonly ListMembersRestated[] => {
  const pieces: ListMembersRestated[] = [];
  for (let piece = pieceFrom(1); piece !== undefined; piece = pieceFrom(piece.to + 1)) pieces.push(piece);
  return pieces;
};

describe('The erasure of a list', () => {
  it('restates a few members in one piece, in ascending order', () => {
    const pieces = piecesOf(afterEvents(ListCreated, added(12, 3, 40_000), removed(3)));
    expect(pieces).toEqual([{ type: 'ListMembersRestated', list, from: 1, to: lastId, members: [12, 40_000] }]);
  });

  it('restates many members in pieces of consecutive ranges', () => {
    const members = upTo(25_000).map((id) => 3 * id);
    const pieces = piecesOf(afterEvents(ListCreated, added(...members)));
    expect(pieces.flatMap((piece) => piece.members)).toEqual(members);
    expect(pieces.map(({ from }) => from)).toEqual([1, ...pieces.slice(0, -1).map(({ to }) => to + 1)]);
    expect(pieces.at(-1)?.to).toBe(lastId);
    expect(pieces).toHaveLength(3);
    for (const piece of pieces) expect(piece.members.length).toBeLessThanOrEqual(membersRestatedMax);
  });

  it('restates that there are no members in one piece: a reader may have read an addition, and not the removal', () => {
    const redaction = afterEvents(ListCreated, added(12), removed(12));
    expect(piecesOf(redaction)).toMatchObject([{ from: 1, to: lastId, members: [] }]);
    expect(redaction.fact(summary, 3)).toEqual({ type: 'ListRedacted', account, list, summary, fields, restatedFrom: 3 });
  });

  it('ends with a piece for the rest of the ids, also if all members in it were removed since it began', () => {
    const redaction = afterEvents(ListCreated, added(...upTo(12_000)));
    const first = redaction.pieceFrom(1);
    redaction.add(removed(...upTo(12_000)));
    expect(redaction.pieceFrom((first?.to ?? 0) + 1)).toMatchObject({ to: lastId, members: [] });
  });

  it('restates the members that a deleted list had, without its fields', () => {
    const redaction = afterEvents(ListCreated, added(12, 3), ListDeleted);
    expect(piecesOf(redaction)).toMatchObject([{ members: [3, 12] }]);
    expect(redaction.fact(summary, 3)).toMatchObject({ fields: null, restatedFrom: 3 });
  });

  it('restates the present fields, also those of a list that was erased before', () => {
    const edit: ListEvent = { ...ListEdited, fields: { name: 'Later' } };
    const redaction = afterEvents({ ...Restated, members: [12] }, ListRedacted, edit, added(13));
    expect(redaction.fact(summary, 4)).toMatchObject({ fields: { ...fields, name: 'Later' } });
    expect(piecesOf(redaction)).toMatchObject([{ members: [12, 13] }]);
  });

  it('is not possible if no event shows what the list is', () => {
    const redaction = afterEvents(added(12));
    expect([redaction.fact(summary, 1), redaction.pieceFrom(1)]).toEqual([undefined, undefined]);
  });
});

/** Ids around the ends of blocks. */
const someId = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 9_998, max: 10_002 }), fc.constant(lastId));
const someIds = fc.uniqueArray(someId, { minLength: 1, maxLength: 4 });
const inOrder = (ids: Iterable<number>): readonly number[] => [...ids].sort((one, other) => one - other);
const someRange = fc.tuple(someId, someId, someIds).map(([one, other, ids]): ListEvent => {
  const [from, to] = [Math.min(one, other), Math.max(one, other)];
  return { type: 'ListMembersRestated', list, from, to, members: inOrder(ids.filter((id) => id >= from && id <= to)) };
});
const { restatedFrom: _, ...withoutPieces } = { restatedFrom: 0, ...ListRedacted };
const someEvent: fc.Arbitrary<ListEvent> = fc.oneof(
  fc.constantFrom<ListEvent>(ListCreated, ListEdited, ListDeleted, ListRestored, ListRedacted, { ...ListRedacted, fields: null }),
  someIds.map((ids) => added(...ids)),
  someIds.map((ids) => removed(...ids)),
  someRange,
  someIds.map((ids): ListEvent => ({ ...withoutPieces, members: inOrder(ids) })),
);

describe('The state of a list during its erasure', () => {
  it('is the one of the aggregate after any events', () => {
    fc.assert(
      fc.property(fc.array(someEvent, { maxLength: 12 }), (events) => {
        const state = events.reduce(evolve, initial);
        const redaction = afterEvents(...events);
        const members = piecesOf(redaction).flatMap((piece) => piece.members);
        const fact = redaction.fact(summary, 0);
        expect(fact?.fields).toEqual('account' in state ? (state.status === 'present' ? state.fields : null) : undefined);
        expect(members).toEqual('account' in state ? inOrder(state.members) : []);
      }),
      { numRuns: 500 },
    );
  });
});
