import type { HistoryItem } from '@waymark/operations/api/answers.ts';
import { blameText } from './blame.ts';
import { differenceText } from './difference.ts';
import { entriesText } from './entries.ts';
import { changeText } from './values.ts';

const entry: HistoryItem = {
  id: 'a1',
  revision: 3,
  time: '2026-11-25T10:37:52.433Z',
  action: 'edited',
  actor: { kind: 'application', id: 'b2', name: 'CMS' },
  changeset: { id: 'c3', comment: 'New lights', by: null },
  request_id: null,
  correlation_id: 'c3',
  cause: null,
  as_of: null,
};
const linesOf = (...entries: readonly Partial<HistoryItem>[]): readonly string[] =>
  entriesText(
    entries.map((one) => ({ ...entry, ...one })),
    80,
  ).split('\n');

describe('the text of a change', () => {
  it('has the old and the new value, and a sign for none', () => {
    expect(changeText({ old: 'Harbour', new: 'Port' }, 60)).toBe('Harbour → Port');
    expect(changeText({ old: null, new: ['sea'] }, 60)).toBe('– → ["sea"]');
    expect(changeText({ old: '', new: 0 }, 60)).toBe('"" → 0');
  });

  it('cuts both values to the same length, and leaves the room of a short one to the other one', () => {
    const [old, current] = ['o'.repeat(99), 'n'.repeat(99)];
    expect(changeText({ old, new: current }, 23)).toBe('ooooooooo… → nnnnnnnnn…');
    expect(changeText({ old, new: 'n' }, 23)).toBe('oooooooooooooooooo… → n');
    expect(changeText({ old: 'o', new: current }, 23)).toBe('o → nnnnnnnnnnnnnnnnnn…');
  });
});

describe('the text of entries', () => {
  it('has a row for each entry, and a line for each changed field', () => {
    expect(
      linesOf({ changes: { name: { old: 'Harbour', new: 'Port' }, category: { old: null, new: 2 } } }, { revision: 2, changes: {} }),
    ).toEqual([
      'TIME                      REVISION  ACTION  ACTOR  CHANGESET',
      '2026-11-25T10:37:52.433Z  3         edited  CMS    New lights',
      '    name: Harbour → Port',
      '    category: – → 2',
      '2026-11-25T10:37:52.433Z  2         edited  CMS    New lights',
    ]);
  });

  it.each<[string, Partial<HistoryItem>, readonly string[]]>([
    ['erased content', { changes: null }, ['The content was erased.']],
    ['members', { changes: {}, members: { added: [1, 2], removed: [] } }, ['added: 1, 2']],
    ['another object', { revision: null, related: { kind: 'lists', id: 5 } }, ['lists/5']],
    ['an order', { related: { by: 'op-1', reason: null, case: 'k9' } }, ['by: op-1, reason: –, case: k9']],
  ])('names %s', (_, item, details) => {
    expect(linesOf(item).slice(2)).toEqual(details.map((detail) => `    ${detail}`));
  });

  it('names the objects of an activity', () => {
    const objects = [
      { kind: 'pinpoints', id: 7 },
      { kind: 'applications', id: 'b2' },
    ].map((object) => ({ ...entry, object }));
    expect(entriesText(objects, 120).split('\n')).toEqual([
      'TIME                      OBJECT           REVISION  ACTION  ACTOR  CHANGESET',
      '2026-11-25T10:37:52.433Z  pinpoints/7      3         edited  CMS    New lights',
      '2026-11-25T10:37:52.433Z  applications/b2  3         edited  CMS    New lights',
    ]);
  });

  it('names an actor without a name by its id, and a person beside the comment', () => {
    expect(linesOf({ actor: { ...entry.actor, name: null }, changeset: { id: 'c3', comment: 'New lights', by: 'Rasa' } })[1]).toMatch(
      / b2 {5}New lights \(Rasa\)$/,
    );
    expect(linesOf({ changeset: { id: 'c3', comment: null, by: null } })[1]).toMatch(/ erased$/);
    expect(linesOf({ changeset: null })[1]).toMatch(/ CMS$/);
  });

  it('is never wider than the terminal, and never controls it', () => {
    const text = `\u001b[2J\u202e${'long '.repeat(99)}\n`;
    const lines = linesOf({
      actor: { ...entry.actor, name: text },
      changeset: { id: 'c3', comment: text, by: text },
      changes: { description: { old: text, new: text } },
      members: { added: Array.from({ length: 999 }, (_, id) => id), removed: [] },
    });
    expect(lines).toHaveLength(4);
    expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Bidi_C}]/u);
  });
});

describe('the text of a difference', () => {
  const words = [
    { change: 'same', text: `${'before '.repeat(40)}` },
    { change: 'removed', text: 'old' },
    { change: 'added', text: 'new\u001b[2J' },
    { change: 'same', text: ` ${'between '.repeat(40)}` },
    { change: 'restyled', text: 'bold' },
    { change: 'same', text: ` ${'after '.repeat(40)}` },
  ] as const;

  it('marks the words of a description, and shortens what is the same', () => {
    const description = {
      old: 'o',
      new: 'n',
      words,
      links: [{ attribute: 'href', old: null, new: 'https://b.example/' }],
      complete: false,
    };
    const lines = differenceText({ from: 0, to: 1, fields: { description } }, 80).split('\n');
    expect(lines[0]).toBe('description');
    expect(lines[1]).toMatch(/^….{60}\[-old-\]\{\+new\+\}.{60}….{60}\{~bold~\}.{60}…$/);
    expect(lines.slice(2)).toEqual(['href: – → https://b.example/', 'The texts differ too much to be compared word by word.']);
  });

  it('has the members that differ, and says where it ends', () => {
    const members = { added: [2, 3], removed: [1] };
    expect(differenceText({ from: 0, to: 1, fields: {}, members, next: 3 }, 80)).toBe(
      'members added\n2, 3\n\nmembers removed\n1\n\nMore members differ, with ids above 3.',
    );
  });

  it('says that there is none', () => {
    expect(differenceText({ from: 0, to: 1, fields: {}, members: { added: [], removed: [] }, next: null }, 80)).toBe(
      'The revisions do not differ.',
    );
  });
});

describe('the text of a blame', () => {
  it('has a row for each field, and names an erasure', () => {
    const { id, actor, changeset, time } = entry;
    const set = { revision: 3, time, id, actor, changeset };
    const fields = {
      name: { value: 'Port', before: 'Harbour', set, erased: null },
      tags: { value: [], before: null, set: null, erased: set },
    };
    expect(blameText({ revision: 3, fields }, 120)).toBe(
      [
        'FIELD  VALUE  BEFORE   REVISION  SET                                             ACTOR  CHANGESET',
        'name   Port   Harbour  3         2026-11-25T10:37:52.433Z                        CMS    New lights',
        'tags   []                        before the erasure of 2026-11-25T10:37:52.433Z',
      ].join('\n'),
    );
  });
});
