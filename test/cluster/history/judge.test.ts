import type { Fact } from './history.ts';
import {
  absent,
  added,
  allLists,
  created,
  createList,
  deleted,
  deleteList,
  done,
  edited,
  editList,
  entry,
  expectFault,
  expectSound,
  fact,
  getList,
  lagging,
  lost,
  made,
  pinpointCreated,
  seen,
  unavailable,
} from './some-histories.ts';

describe('A sound history', () => {
  it('has no findings', () => {
    expectSound(
      [
        made,
        entry(2, 5, editList(1, 'second'), done(1)),
        entry(3, 4, getList(1), seen([1, 'first'])),
        entry(3.5, 4, getList(1), seen([1, 'second'])),
        entry(6, 7, getList(1), seen([1, 'second'])),
        entry(8, 9, deleteList(1), done()),
        entry(10, 11, getList(1), absent),
        entry(10, 11, editList(1, 'third'), absent),
        entry(12, 13, allLists, seen(), { settled: true }),
      ],
      [fact, edited('r2', 1, 'second'), deleted('r8', 1)],
    );
  });

  it('may lack an unacknowledged write, or may contain it, even late', () => {
    for (const result of [unavailable, lost]) {
      expectSound([made, entry(2, 3, editList(1, 'second'), result), entry(4, 5, getList(1), seen([1, 'first']))], [fact]);
      const late = [
        made,
        entry(2, 3, editList(1, 'second'), result),
        entry(4, 5, editList(1, 'third'), done(1)),
        entry(6, 7, getList(1), seen([1, 'third'])),
        entry(8, 9, getList(1), seen([1, 'second'])),
      ];
      expectSound(late, [fact, edited('r4', 1, 'third'), edited('r2', 1, 'second')]);
    }
  });

  it('may show a write late that was acknowledged with a lag', () => {
    const entries = [made, entry(2, 3, editList(1, 'second'), lagging(1)), entry(4, 5, getList(1), seen([1, 'first']))];
    expectSound(entries, [fact, edited('r2', 1, 'second')]);
  });
});

describe('A write', () => {
  it('that was acknowledged is not lost', () => {
    expectFault('acknowledged and lost', [made], []);
    expectFault('acknowledged and lost', [made, entry(2, 3, deleteList(1), lagging())], [fact]);
  });

  it('is not applied twice, acknowledged or not', () => {
    expectFault('applied twice', [made], [fact, created('r0', 2, 'first')]);
    const twice = [fact, edited('r2', 1, 'second'), edited('r2', 1, 'second')];
    expectFault('applied twice', [made, entry(2, 3, editList(1, 'second'), unavailable)], twice);
  });

  it('is not applied twice under one idempotency key, and always gets the same response', () => {
    const again = entry(2, 3, createList('first'), done(2), { operation: 'r0' });
    expectFault('applied twice', [made, again], [fact, created('r0', 2, 'first')]);
    expectFault('answered otherwise', [made, again], [fact]);
    expectSound([made, { ...again, result: done(1) }], [fact]);
  });

  it('that was refused is not applied', () => {
    const refused = entry(4, 5, editList(1, 'second'), absent);
    const gone = [made, entry(2, 3, deleteList(1), done()), refused];
    expectFault('refused, and done', gone, [fact, deleted('r2', 1), edited('r4', 1, 'second')]);
  });

  it('is not refused if its object exists, even if reads do not show the object yet', () => {
    expectFault('reported as missing', [{ ...made, result: lagging(1) }, entry(2, 3, editList(1, 'second'), absent)], [fact]);
  });

  it('does not come before a write in the log that was acknowledged before it was requested', () => {
    const other = entry(2, 3, createList('other'), done(2));
    expectFault('comes before', [made, other], [created('r2', 2, 'other'), fact]);
    expectSound([made, { ...other, startedMs: 0.5, operation: 'r2' }], [created('r2', 2, 'other'), fact]);
  });

  it('is in the log as it was requested', () => {
    expectFault('something else', [made], [created('r0', 1, 'something')]);
    expectFault('another id', [{ ...made, result: done(7) }], [fact]);
    expectFault('no client requested', [made], [fact, created('x', 2, 'something')]);
    expectFault('an id was assigned twice', [made, entry(2, 3, createList('b'), done(1))], [fact, created('r2', 1, 'b')]);
  });

  it('that finds the memberships as requested need not be in the log', () => {
    const pinpoint = entry(2, 3, { type: 'create', kind: 'pinpoints', value: 'r2' }, done(5));
    const adding = entry(4, 5, { type: 'add', list: 1, pinpoints: [5] }, done());
    const again = entry(6, 7, { type: 'add', list: 1, pinpoints: [5] }, done());
    const removing = entry(8, 9, { type: 'remove', list: 1, pinpoints: [5] }, done());
    const facts = [fact, pinpointCreated('r2', 5), added('r4', 1, 5)];
    expectSound([made, pinpoint, adding, again], facts);
    expectFault('acknowledged and lost', [made, pinpoint, adding, again, removing], facts);
    expectFault('acknowledged and lost', [made, pinpoint, again], [fact, pinpointCreated('r2', 5)]);
  });

  it('does not use an object whose deletion is visible to all', () => {
    const pinpoint = entry(2, 3, { type: 'create', kind: 'pinpoints', value: 'r2' }, done(5));
    const removal = entry(4, 5, { type: 'delete', kind: 'pinpoints', id: 5 }, done());
    const adding = entry(6, 7, { type: 'add', list: 1, pinpoints: [5] }, done());
    const removed: Fact = { operation: 'r4', change: { type: 'deleted', kind: 'pinpoints', id: 5 } };
    const facts = [fact, pinpointCreated('r2', 5), removed, added('r6', 1, 5)];
    expectFault('done with a missing object', [made, pinpoint, removal, adding], facts);
    expectSound([made, pinpoint, { ...removal, result: lagging() }, adding], facts);
  });

  it('may use an event if the deletion of its pinpoint was not yet visible', () => {
    const pinpoint = entry(2, 3, { type: 'create', kind: 'pinpoints', value: 'r2' }, done(5));
    const other = entry(2.5, 3, { type: 'create', kind: 'pinpoints', value: 'r2.5' }, done(6));
    const removal = entry(4, 6, { type: 'delete', kind: 'pinpoints', id: 5 }, lagging());
    const event = entry(5, 7, { type: 'create', kind: 'events', value: 'r5', pinpoint: 5 }, lagging(1));
    const moved = entry(8, 9, { type: 'edit', kind: 'events', id: 1, value: 'r8', pinpoint: 6 }, done(1));
    const facts: readonly Fact[] = [
      fact,
      pinpointCreated('r2', 5),
      pinpointCreated('r2.5', 6),
      { operation: 'r4', change: { type: 'deleted', kind: 'pinpoints', id: 5 } },
      { operation: 'r5', change: { type: 'created', kind: 'events', id: 1, value: 'r5', pinpoint: 5 } },
      { operation: 'r8', change: { type: 'edited', kind: 'events', id: 1, value: 'r8', pinpoint: 6 } },
    ];
    expectSound([made, pinpoint, other, removal, event, moved], facts);
    const removedBefore = { ...removal, endedMs: 4.5, result: done() };
    expectFault('done with a missing object', [made, pinpoint, other, removedBefore, { ...event, result: done(1) }, moved], facts);
  });

  it('gets a response of the contract', () => {
    expectFault('no response of the contract', [made, entry(2, 3, getList(1), { type: 'wrong', what: '500' })], [fact]);
  });
});
