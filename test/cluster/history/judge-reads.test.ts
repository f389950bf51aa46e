import type { Entry, Fact, Read } from './history.ts';
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
  made,
  pinpointCreated,
  seen,
} from './some-histories.ts';

describe('A read', () => {
  const second = entry(2, 3, editList(1, 'second'), done(1));
  const facts = [fact, edited('r2', 1, 'second')];

  it('is not stale: it shows the writes that were acknowledged before it began, or a later state', () => {
    expectFault('a stale read', [made, second, entry(4, 5, getList(1), seen([1, 'first']))], facts);
    expectFault('a stale read', [made, entry(4, 5, getList(1), absent)], [fact]);
    expectFault('a stale read', [made, entry(4, 5, allLists, seen())], [fact]);
    expectFault(
      'a stale read',
      [made, entry(2, 3, deleteList(1), done()), entry(4, 5, getList(1), seen([1, 'first']))],
      [fact, deleted('r2', 1)],
    );
  });

  it('is not stale with respect to another object of the account', () => {
    const other = entry(4, 5, createList('other'), done(2));
    const lag = { ...second, result: lagging(1) };
    expectFault('a stale read', [made, lag, other, entry(6, 7, getList(1), seen([1, 'first']))], [...facts, created('r4', 2, 'other')]);
  });

  it('does not go back behind a read that ended before it', () => {
    const pending = entry(2, 99, editList(1, 'second'), done(1));
    const back = [made, pending, entry(3, 4, getList(1), seen([1, 'second'])), entry(5, 6, getList(1), seen([1, 'first']))];
    expectFault('goes back', back, facts);
    expectSound([made, pending, entry(3, 6, getList(1), seen([1, 'second'])), entry(5, 6, getList(1), seen([1, 'first']))], facts);
  });

  it('may go back where two versions are read, but never behind an acknowledged write', () => {
    const pending = entry(2, 99, editList(1, 'second'), done(1));
    const shown = entry(3, 4, getList(1), seen([1, 'second']));
    expectSound([made, pending, shown, entry(5, 6, getList(1), seen([1, 'first']))], facts, { twoVersions: true });
    expectFault('a stale read', [made, pending, shown, entry(5, 6, getList(1), absent)], facts, { twoVersions: true });
  });

  it('that goes back is not called stale if it shows all that was acknowledged', () => {
    const removed = entry(4, 99, deleteList(2), done());
    const other = entry(2, 3, createList('other'), done(2));
    const back = [made, other, removed, entry(5, 6, allLists, seen([1, 'first'])), entry(7, 8, getList(1), seen([1, 'first']))];
    const log = [fact, created('r2', 2, 'other'), deleted('r4', 2)];
    expectSound(back, log);
    expectFault('goes back', [...back, entry(9, 10, allLists, seen([1, 'first'], [2, 'other']))], log);
  });

  it('shows no change before it was requested', () => {
    expectFault('requested only later', [made, entry(1.1, 1.5, getList(1), seen([1, 'second'])), second], facts);
  });

  it('shows no value that never existed', () => {
    expectFault('half read', [made, entry(2, 3, getList(1), seen([1, 'other']))], [fact]);
  });

  it('of a page shows one state, not a mixture of two', () => {
    const other = entry(2, 3, createList('other'), done(2));
    const all = [fact, created('r2', 2, 'other'), edited('r4', 1, 'second'), edited('r4.5', 2, 'changed')];
    const writes = [made, other, entry(4, 99, editList(1, 'second'), done(1)), entry(4.5, 99, editList(2, 'changed'), done(2))];
    expectSound([...writes, entry(5, 6, allLists, seen([1, 'second'], [2, 'other']))], all);
    expectFault('half read', [...writes, entry(5, 6, allLists, seen([1, 'first'], [2, 'changed']))], all);
  });

  it('of a list shows no member whose pinpoint is deleted', () => {
    const pinpoint = entry(2, 3, { type: 'create', kind: 'pinpoints', value: 'r2' }, done(5));
    const adding = entry(4, 5, { type: 'add', list: 1, pinpoints: [5] }, done());
    const removal = entry(6, 99, { type: 'delete', kind: 'pinpoints', id: 5 }, done());
    const removed: Fact = { operation: 'r6', change: { type: 'deleted', kind: 'pinpoints', id: 5 } };
    const all = [fact, pinpointCreated('r2', 5), added('r4', 1, 5), removed];
    const members: Read = { type: 'page', kind: 'pinpoints', of: 1 };
    const writes = [made, pinpoint, adding, removal];
    const gone = entry(7, 8, { type: 'one', kind: 'pinpoints', id: 5 }, absent);
    expectSound([...writes, gone, entry(9, 10, members, seen())], all);
    expectFault('goes back', [...writes, gone, entry(9, 10, members, seen([5, 'r2']))], all);
    expectFault('a stale read', [...writes, entry(100, 101, members, seen([5, 'r2']))], all);
  });

  it('of an event shows it only while its pinpoint exists', () => {
    const pinpoint = entry(2, 3, { type: 'create', kind: 'pinpoints', value: 'r2' }, done(5));
    const event = entry(4, 5, { type: 'create', kind: 'events', value: 'e', pinpoint: 5 }, done(9));
    const removal = entry(6, 7, { type: 'delete', kind: 'pinpoints', id: 5 }, done());
    const happening: Fact = { operation: 'r4', change: { type: 'created', kind: 'events', id: 9, value: 'e', pinpoint: 5 } };
    const removed: Fact = { operation: 'r6', change: { type: 'deleted', kind: 'pinpoints', id: 5 } };
    const all = [pinpointCreated('r2', 5), happening, removed];
    const get = entry(8, 9, { type: 'one', kind: 'events', id: 9 }, absent);
    expectSound([pinpoint, event, removal, get], all);
    expectFault(
      'a stale read',
      [pinpoint, event, removal, { ...get, result: { type: 'seen', objects: [{ id: 9, value: 'e', pinpoint: 5 }] } }],
      all,
    );
  });

  it('shows everything after the cluster came to rest', () => {
    const lag = { ...second, result: lagging(1) };
    const last = entry(4, 5, getList(1), seen([1, 'first']), { settled: true });
    expectFault('the final state', [made, lag, last], facts);
    expectSound([made, lag, { ...last, result: seen([1, 'second']) }], facts);
  });

  it('never has one entity tag for two values', () => {
    const tagged = (startedMs: number, value: string, etag: string): Entry =>
      entry(startedMs, startedMs + 1, getList(1), { type: 'seen', objects: [{ id: 1, value }], etag });
    const pending = { ...second, endedMs: 99 };
    expectFault('entity tag', [made, pending, tagged(4, 'first', '"x"'), tagged(6, 'second', '"x"')], facts);
    expectSound([made, pending, tagged(4, 'first', '"x"'), tagged(6, 'second', '"y"')], facts);
  });
});
