import { type ComparedLog, compareFacts, isLater, type KnownFacts, mergeFacts, noIds } from './facts.ts';
import { fromStoredKnownFacts, type StoredKnownFacts, toStoredKnownFacts } from './stored-facts.ts';

const ids = { pinpoint: 200, list: 100, category: 0, happening: 0 };
const known: KnownFacts = { incarnation: 'B', head: 500, event: 'last', stream: 'pinpoint-7', revision: 3, ids };
const log: ComparedLog = { incarnation: 'B', head: 500, ids, formerNames: ['A'], eventThere: 'last' };

const given = (facts: Partial<KnownFacts>) => ({
  when: (present: Partial<ComparedLog>) => compareFacts({ ...known, ...facts }, { ...log, ...present }),
});

describe('known facts of a log', () => {
  it('fit a log that has exactly these facts', () => expect(given({}).when({})).toBe('fits'));
  it('fit a log that has further events', () =>
    expect(given({}).when({ head: 900, ids: { ...ids, list: 300 }, eventThere: 'last' })).toBe('fits'));
  it('fit a log whose event at that place can no longer be determined', () =>
    expect(given({}).when({ head: 900, eventThere: undefined })).toBe('fits'));
  it('fit a log where they name no event', () => expect(given({ event: '' }).when({ eventThere: 'any' })).toBe('fits'));
  it('fit an empty log where they name no event and no ids', () =>
    expect(given({ head: 0, event: '', ids: noIds }).when({ head: 0, ids: noIds, eventThere: undefined })).toBe('fits'));

  it('detect a log that ends before their head', () => expect(given({}).when({ head: 499 })).toBe('shorter'));
  it('detect a log that has another event in that place', () =>
    expect(given({}).when({ head: 900, eventThere: 'another' })).toBe('other event'));
  it('detect a log that has no event in that place', () => expect(given({}).when({ head: 900, eventThere: '' })).toBe('other event'));
  it('detect a log that never had their incarnation', () =>
    expect(given({ incarnation: 'C' }).when({ head: 900 })).toBe('unknown incarnation'));
  it.each(['pinpoint', 'list', 'category', 'happening'] as const)('detect a log that has reserved fewer ids of a %s', (resource) =>
    expect(given({ ids: { ...ids, [resource]: ids[resource] + 1 } }).when({ head: 900 })).toBe('missing ids'),
  );

  it('have no effect where they are of a former incarnation, whatever they name', () =>
    expect(given({ incarnation: 'A', head: 10_000, ids: { ...ids, list: 9_000 } }).when({ eventThere: 'another' })).toBe('former'));
});

describe('facts of one incarnation', () => {
  const further = { ...known, head: 501, event: 'next', revision: 4 };
  const higher = { ...known, ids: { ...ids, list: 200 } };

  it('are later with a higher head or with higher ids, and not otherwise', () => {
    expect([isLater(further, known), isLater(higher, known)]).toEqual([true, true]);
    expect([isLater(known, known), isLater(known, further), isLater(known, higher)]).toEqual([false, false, false]);
  });

  it('are merged to all that either of them names, with the event of the higher head', () => {
    const both = { ...further, ids: higher.ids };
    expect([mergeFacts(further, higher), mergeFacts(higher, further)]).toEqual([both, both]);
  });
});

describe('stored facts', () => {
  const stored: StoredKnownFacts = { incarnation: 'B', head: 500, event: 'last', stream: 'pinpoint-7', revision: 3, ids };

  it('are read completely', () => expect(fromStoredKnownFacts(JSON.parse(JSON.stringify(stored)))).toEqual(known));
  it('keep their order', () => expect(JSON.stringify(toStoredKnownFacts(known))).toBe(JSON.stringify(stored)));
  it.each<readonly [string, unknown]>([
    ['nothing', null],
    ['a text', 'facts'],
    ['no incarnation', { ...stored, incarnation: undefined }],
    ['a negative head', { ...stored, head: -1 }],
    ['a fractional head', { ...stored, head: 1.5 }],
    ['no event', { ...stored, event: 7 }],
    ['a missing sequence', { ...stored, ids: { pinpoint: 1, list: 1, category: 1 } }],
    ['no stream', { ...stored, stream: null }],
    ['no revision', { ...stored, revision: '3' }],
  ])('are undefined with %s', (_, value) => expect(fromStoredKnownFacts(value)).toBeUndefined());
});
