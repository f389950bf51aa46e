import fc from 'fast-check';
import { storedText, type TextRule } from './text.ts';

const name: TextRule = { trimmed: true, charactersMax: 255 };
const description: TextRule = { trimmed: false, charactersMax: 100_000 };
const acute = '\u0301';

/** Returns how many characters `String.prototype.normalize` is given while `work` runs. */
const normalised = (work: () => unknown): number => {
  const normalize = jest.spyOn(String.prototype, 'normalize');
  work();
  const characters = normalize.mock.contexts.reduce((sum: number, text) => sum + String(text).length, 0);
  normalize.mockRestore();
  return characters;
};

describe('a stored text', () => {
  it.each([
    ['255 Hangul syllables as NFD', '한'.normalize('NFD').repeat(255), '한'.repeat(255)],
    ['255 syllables of Hangul that have a final, as NFD', '각'.normalize('NFD').repeat(255), '각'.repeat(255)],
    ['Vietnamese as NFD', 'Phở ướt Nguyễn Tất Thành'.normalize('NFD'), 'Phở ướt Nguyễn Tất Thành'],
    ['cantillated Hebrew', 'בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים', 'בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים'.normalize('NFC')],
    ['Tibetan stacks', 'རྒྱལ་པོ་སྒྲུབ་ ཧཱུྃ་ ཨོཾ་', 'རྒྱལ་པོ་སྒྲུབ་ ཧཱུྃ་ ཨོཾ་'.normalize('NFC')],
    ['emoji', '👩🏽‍🚒🏴󠁧󠁢󠁳󠁣󠁴󠁿❤️‍🔥1️⃣', '👩🏽‍🚒🏴󠁧󠁢󠁳󠁣󠁴󠁿❤️‍🔥1️⃣'],
    ['thirty marks in a row', `x${'\u0316'.repeat(30)}`, `x${'\u0316'.repeat(30)}`],
    ['255 characters that each decompose into four', '\u1f82'.normalize('NFD').repeat(255), '\u1f82'.repeat(255)],
  ])('may be %s', (_, sent, stored) => {
    expect(storedText(sent, name)).toEqual({ text: stored });
    expect(storedText(stored, name)).toEqual({ text: stored });
  });

  it.each([
    ['31 marks in a row', `x${'\u0316'.repeat(31)}`],
    ['31 marks at its beginning', '\u0316'.repeat(31)],
    ['31 marks that become fewer', `e${acute.repeat(31)}`],
    ['31 marks of the upper planes', `x${'\u{1e8d0}'.repeat(31)}`],
    ['30 marks that become more than that', `x${'\u0344'.repeat(30)}`],
  ])('may not have %s', (_, sent) => {
    expect(storedText(sent, name)).toEqual({ fault: 'marks' });
  });

  it.each([
    ['200,000 marks in a name', acute.repeat(200_000), name, 'long'],
    ['400,000 marks in an address', acute.repeat(400_000), { trimmed: false, charactersMax: 1_000 }, 'long'],
    ['four million marks in a description', acute.repeat(4_000_000), description, 'long'],
    ['99,999 marks in a description', acute.repeat(99_999), description, 'marks'],
    ['a million spaces and a name', `${' '.repeat(1_000_000)}${'a'.repeat(2_000)}`, name, 'long'],
    ['marks behind spaces', `${' '.repeat(1_000_000)}${acute.repeat(500)}`, name, 'marks'],
  ] as const)('is not normalised if that would take more than linear time: %s', (_, sent, rule, fault) => {
    expect(normalised(() => expect(storedText(sent, rule)).toEqual({ fault }))).toBe(0);
  });

  it('is in NFC, on either side of the first combining mark', () => {
    const character = fc.integer({ min: 1, max: 0x320 }).map((code) => String.fromCodePoint(code));
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 30 }), (sent) => {
        expect(storedText(sent, description)).toEqual({ text: sent.normalize('NFC') });
      }),
    );
    for (let code = 1; code < 0x300; code += 1) expect(String.fromCodePoint(code)).not.toMatch(/\p{M}/u);
  });

  it('has its length limited as it is stored, in code points', () => {
    expect(storedText('😀'.repeat(255), name)).toEqual({ text: '😀'.repeat(255) });
    expect(storedText('😀'.repeat(256), name)).toEqual({ fault: 'long' });
    expect(storedText(`  ${`e${acute}`.repeat(255)}\n`, name)).toEqual({ text: 'é'.repeat(255) });
    expect(storedText(`e${acute}`.repeat(256), name)).toEqual({ fault: 'long' });
  });

  it.each(['a\0', '\ud800', 'a\udc00b'])('must be well-formed: %j', (sent) => {
    expect(storedText(sent, name)).toEqual({ fault: 'malformed' });
  });

  it('is in NFC, and is stored unchanged the next time', () => {
    const pieces = [
      'a',
      ' ',
      acute,
      '\u0316',
      '\u0344',
      '한'.normalize('NFD'),
      'ệ'.normalize('NFD'),
      '😀',
      '\u0f73',
      '\u1f82',
      '\ufb2c',
      '\u{1d160}',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 300 }), fc.boolean(), (parts, trimmed) => {
        const sent = parts.join('');
        const stored = storedText(sent, { trimmed, charactersMax: 200 });
        if ('fault' in stored) return;
        expect(stored.text).toBe((trimmed ? sent.trim() : sent).normalize('NFC'));
        expect(storedText(stored.text, { trimmed, charactersMax: 200 })).toEqual(stored);
      }),
    );
  });
});
