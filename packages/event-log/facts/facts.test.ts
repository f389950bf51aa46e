import { type ComparedLog, compareFacts, isLater, type KnownFacts, mergeFacts, noIds } from './facts.ts';
import { fromStoredKnownFacts, type StoredKnownFacts, toStoredKnownFacts } from './stored-facts.ts';

const ids = { pinpoint: 200, list: 100, category: 0, happening: 0 };
const known: KnownFacts = { incarnation: 'B', head: 500, event: 'last', stream: 'pinpoint-7', revision: 3, ids };
const log: ComparedLog = { incarnation: 'B', head: 500, ids, formerNames: ['A'], eventThere: 'last' };

const given = (facts: Partial<KnownFacts>) => ({
  when: (present: Partial<ComparedLog>) => compareFacts({ ...known, ...facts }, { ...log, ...present }),
});

describe('facts that are known of a log', () => {
  it('fit a log that has just what they say', () => expect(given({}).when({})).toBe('fits'));
  it('fit a log that went on', () => expect(given({}).when({ head: 900, ids: { ...ids, list: 300 }, eventThere: 'last' })).toBe('fits'));
  it('fit a log of which nobody can tell any more what was at the position', () =>
    expect(given({}).when({ head: 900, eventThere: undefined })).toBe('fits'));
  it('fit a log where they name no event', () => expect(given({ event: '' }).when({ eventThere: 'any' })).toBe('fits'));
  it('fit an empty log where they know of none', () =>
    expect(given({ head: 0, event: '', ids: noIds }).when({ head: 0, ids: noIds, eventThere: undefined })).toBe('fits'));

  it('show a log that ends before their head', () => expect(given({}).when({ head: 499 })).toBe('shorter'));
  it('show a log that has another event in the place of theirs', () =>
    expect(given({}).when({ head: 900, eventThere: 'another' })).toBe('other event'));
  it('show a log that has no event in the place of theirs', () =>
    expect(given({}).when({ head: 900, eventThere: '' })).toBe('other event'));
  it('show a log that never had their name', () => expect(given({ incarnation: 'C' }).when({ head: 900 })).toBe('unknown incarnation'));
  it.each(['pinpoint', 'list', 'category', 'happening'] as const)('show a log that has reserved fewer ids of a %s', (resource) =>
    expect(given({ ids: { ...ids, [resource]: ids[resource] + 1 } }).when({ head: 900 })).toBe('missing ids'),
  );

  it('say nothing under a name that the log had before, however much they know', () =>
    expect(given({ incarnation: 'A', head: 10_000, ids: { ...ids, list: 9_000 } }).when({ eventThere: 'another' })).toBe('former'));
});

describe('facts of one incarnation', () => {
  const further = { ...known, head: 501, event: 'next', revision: 4 };
  const higher = { ...known, ids: { ...ids, list: 200 } };

  it('are later with a further head, or with higher ids, and not otherwise', () => {
    expect([isLater(further, known), isLater(higher, known)]).toEqual([true, true]);
    expect([isLater(known, known), isLater(known, further), isLater(known, higher)]).toEqual([false, false, false]);
  });

  it('are merged to all that either knows, the event with its head', () => {
    const both = { ...further, ids: higher.ids };
    expect([mergeFacts(further, higher), mergeFacts(higher, further)]).toEqual([both, both]);
  });
});

describe('what is read as facts', () => {
  const stored: StoredKnownFacts = { incarnation: 'B', head: 500, event: 'last', stream: 'pinpoint-7', revision: 3, ids };

  it('has all that facts have', () => expect(fromStoredKnownFacts(JSON.parse(JSON.stringify(stored)))).toEqual(known));
  it('is what was stored, in its order', () => expect(JSON.stringify(toStoredKnownFacts(known))).toBe(JSON.stringify(stored)));
  it.each<readonly [string, unknown]>([
    ['nothing', null],
    ['a text', 'facts'],
    ['no incarnation', { ...stored, incarnation: undefined }],
    ['a head below the log', { ...stored, head: -1 }],
    ['a head that is no whole number', { ...stored, head: 1.5 }],
    ['no event', { ...stored, event: 7 }],
    ['a sequence without a number', { ...stored, ids: { pinpoint: 1, list: 1, category: 1 } }],
    ['no stream', { ...stored, stream: null }],
    ['no revision', { ...stored, revision: '3' }],
  ])('is none with %s', (_, value) => expect(fromStoredKnownFacts(value)).toBeUndefined());
});
