import { anyCharacter } from '@waymark/domain/testing/characters.ts';
import fc from 'fast-check';
import { compareDescriptions, type DescriptionComparison, type Segment } from './descriptions.ts';
import { wordLimits } from './limits.ts';

const marks = { same: ['', ''], added: ['{+', '+}'], removed: ['[-', '-]'], restyled: ['{~', '~}'] };

/** Writes the segments as one text, in the notation of `git diff --word-diff`. */
const marked = (from: string, to: string): string =>
  compareDescriptions(from, to)
    .words.map(({ change, text }) => marks[change].join(text))
    .join('');

const textWithout = (change: Segment['change'], { words }: DescriptionComparison): string =>
  words
    .filter((segment) => segment.change !== change)
    .map(({ text }) => text)
    .join('');
const oldText = (comparison: DescriptionComparison): string => textWithout('added', comparison);
const newText = (comparison: DescriptionComparison): string => textWithout('removed', comparison);
const textOf = (html: string): string => newText(compareDescriptions('', html));

const numbered = (count: number, prefix: string): string => Array.from({ length: count }, (_, nth) => `${prefix}${nth}`).join(' ');

describe('Comparing the words of two descriptions', () => {
  it.each([
    ['<p>White, then red.</p>', '<p>White, then deep green.</p>', 'White, then [-red-]{+deep green+}.'],
    ['', '<p>New</p>', '{+New+}'],
    ['<p>Old</p>', '', '[-Old-]'],
    ['one  two', 'one two', 'one[-  -]{+ +}two'],
    ['fish &amp; chips', 'fish &lt; chips', 'fish [-&-]{+<+} chips'],
    ["the keeper's house", "the keepers' house", "the [-keeper's-]{+keepers'+} house"],
    ['at 10:30, for 2.50', 'at 10:45, for 3.50', 'at [-10:30-]{+10:45+}, for [-2.50-]{+3.50+}'],
    ['end.Next', 'end.Last', 'end.[-Next-]{+Last+}'],
    ['白い灯台', '赤い灯台', '[-白-]{+赤+}い灯台'],
    ['กำแพง', 'กำแดง', 'กำแ[-พ-]{+ด+}ง'],
    ['می‌خواهم', 'می‌خواهد', '[-می‌خواهم-]{+می‌خواهد+}'],
    ['🇱🇹🇱🇻', '🇱🇹🇪🇪', '🇱🇹[-🇱🇻-]{+🇪🇪+}'],
    ['👩‍👧👍🏽', '👩‍👧👍🏿', '👩‍👧[-👍🏽-]{+👍🏿+}'],
  ])('marks the words of %j and %j', (from, to, expected) => {
    expect(marked(from, to)).toBe(expected);
  });

  it.each([
    ['emphasised words', 'a red light', 'a <b>red</b> light', 'a {~red~} light'],
    ['part of a word', 'lighthouse', 'light<b>house</b>', '{~lighthouse~}'],
    ['another part of a word', 'l<b>ight</b>', 'lig<b>ht</b>', '{~light~}'],
    ['another class', '<p class="a">red <i>light</i></p>', '<p class="b">red <i>light</i></p>', '{~red light~}'],
    ['another element around it', '<p>a</p><p>b</p>', '<p>a</p><h2>b</h2>', 'a\n{~b~}'],
    ['the target of a link', '<a href="/a">red</a> light', '<a href="/b">red</a> light', '{~red~} light'],
    ['another description of an image', '<img src="/a" alt="b">', '<img src="/a" alt="c">', '{~\ufffc~}'],
    ['a line in place of a paragraph', '<p>a</p><p>b</p>', '<p>a<br>b</p>', 'a{~\n~}b'],
  ])('marks words with equal text and different markup: %s', (_, from, to, expected) => {
    expect(marked(from, to)).toBe(expected);
  });

  it.each([
    ['the order of attributes', '<p class="a" lang="lt">b</p>', '<p lang="lt" class="a">b</p>'],
    ['how a character is written', 'a &gt; b', 'a &#62; b'],
    ['where an element is divided', '<b>lighthouse</b>', '<b>light</b><b>house</b>'],
  ])('ignores %s', (_, from, to) => {
    expect(compareDescriptions(from, to)).toEqual({ words: [{ change: 'same', text: textOf(from) }], links: [], complete: true });
  });

  it('shows a paragraph that was divided', () => {
    expect(marked('<p>one two</p>', '<p>one</p><p>two</p>')).toBe('one[- -]{+\n+}two');
  });
});

describe('A comparison of descriptions that exceeds a limit', () => {
  /** Texts that differ in `count` words, in the middle of words that they share. */
  const differing = (count: number): readonly [string, string] => [`one ${numbered(count, 'a')} end`, `one ${numbered(count, 'b')} end`];

  it('is complete up to the limit of edits', () => {
    const { words, complete } = compareDescriptions(...differing(wordLimits.editsMax / 2));
    expect(complete).toBe(true);
    expect(words).toHaveLength(1 + (3 * wordLimits.editsMax) / 2);
  });

  it('says so, and marks one change between the beginning and the end that both sides share', () => {
    const count = wordLimits.editsMax / 2 + 1;
    expect(compareDescriptions(...differing(count))).toEqual({
      words: [
        { change: 'same', text: 'one ' },
        { change: 'removed', text: numbered(count, 'a') },
        { change: 'added', text: numbered(count, 'b') },
        { change: 'same', text: ' end' },
      ],
      links: [],
      complete: false,
    });
  });

  it('still marks words with different markup in the beginning and the end', () => {
    const [from, to] = differing(wordLimits.editsMax);
    const { words } = compareDescriptions(from, to.replace('one', '<b>one</b>').replace('end', '<b>end</b>'));
    expect(words.map(({ change }) => change)).toEqual(['restyled', 'same', 'removed', 'added', 'same', 'restyled']);
  });

  it('does not count the words of the beginning and the end', () => {
    const many = 'a '.repeat(wordLimits.itemsMax);
    expect(marked(`${many}b ${many}`, `${many}c ${many}`)).toBe(`${many}[-b-]{+c+} ${many}`);
  });

  it('is cut off where the changed part has too many words', () => {
    const between = ' a'.repeat(wordLimits.itemsMax / 2 - 1);
    expect(compareDescriptions(`b${between}.`, `c${between},`)).toMatchObject({ complete: true });
    expect(compareDescriptions(`b${between} .`, `c${between} ,`)).toMatchObject({ complete: false });
  });

  it('is complete where all words are new, or none is left', () => {
    const text = numbered(10_000, 'a');
    expect(compareDescriptions('', text)).toEqual({ words: [{ change: 'added', text }], links: [], complete: true });
    expect(compareDescriptions(text, '')).toEqual({ words: [{ change: 'removed', text }], links: [], complete: true });
  });
});

const tags = ['p', 'b', 'i', 'ul', 'li', 'a href="/x"', 'a href="/y"', 'p class="z"', 'td', 'blockquote'];
const leaf = fc.oneof(
  fc.constantFrom(
    'red',
    'light',
    'a',
    'b',
    ' ',
    '. ',
    '\n',
    '&amp;',
    '<br>',
    '<hr>',
    '<wbr>',
    '<img src="/a">',
    '<img src="/b">',
    '</p>',
    '<',
  ),
  fc.string({ unit: anyCharacter, maxLength: 4 }),
);
const html = fc.letrec<{ node: string; nodes: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.tuple(fc.constantFrom(...tags), tie('nodes')).map(([tag, within]) => `<${tag}>${within}</${tag.split(' ')[0]}>`),
  ),
  nodes: fc.array(tie('node'), { maxLength: 5 }).map((nodes) => nodes.join('')),
})).nodes;

/** Text with elements that end no line, and the text itself. */
const inline = fc
  .array(fc.tuple(fc.constantFrom('', 'b', 'i', 'a'), fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.', '\n', '漢', '🗼', '<', '&') })))
  .map((parts) => ({
    text: parts.map(([, text]) => text).join(''),
    html: parts
      .map(([tag, text]) => [tag, text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')])
      .map(([tag, escaped]) => (tag === '' ? escaped : `<${tag}>${escaped}</${tag}>`))
      .join(''),
  }));

describe('Any comparison of descriptions', () => {
  it('contains both texts', () => {
    fc.assert(
      fc.property(inline, inline, (from, to) => {
        const comparison = compareDescriptions(from.html, to.html);
        expect(oldText(comparison)).toBe(from.text);
        expect(newText(comparison)).toBe(to.text);
      }),
    );
  });

  it('contains both texts, with their lines', () => {
    fc.assert(
      fc.property(html, html, (from, to) => {
        const comparison = compareDescriptions(from, to);
        expect(oldText(comparison)).toBe(textOf(from));
        expect(newText(comparison)).toBe(textOf(to));
      }),
    );
  });

  it('finds no change between equal texts', () => {
    fc.assert(
      fc.property(html, (text) => {
        const { words, links, complete } = compareDescriptions(text, text);
        expect(words.filter(({ change }) => change !== 'same')).toEqual([]);
        expect(words.length).toBeLessThanOrEqual(1);
        expect({ links, complete }).toEqual({ links: [], complete: true });
      }),
    );
  });

  it('has no two segments of the same change in a row, and no empty segment', () => {
    fc.assert(
      fc.property(html, html, (from, to) => {
        const { words } = compareDescriptions(from, to);
        expect(words.filter(({ change, text }, nth) => text === '' || change === words[nth - 1]?.change)).toEqual([]);
      }),
    );
  });

  it('is the same each time', () => {
    fc.assert(
      fc.property(html, html, (from, to) => {
        expect(compareDescriptions(from, to)).toEqual(compareDescriptions(from, to));
      }),
    );
  });

  const charactersMax = 100_000;
  const filled = (part: (nth: number) => string): string => {
    const parts: string[] = [];
    for (let [nth, characters] = [0, 0]; ; nth += 1) {
      const next = part(nth);
      characters += next.length;
      if (characters > charactersMax) return parts.join('');
      parts.push(next);
    }
  };
  const deep = (tag: string): string => [`<${tag}>`.repeat(charactersMax / 8), 'a b', `</${tag}>`.repeat(charactersMax / 8)].join('');

  it.each([
    ['the same two words in another order', filled(() => 'a b '), filled(() => 'b a '), false],
    ['different words only', filled((nth) => `a${nth} `), filled((nth) => `b${nth} `), false],
    ['words of one character', filled((nth) => String.fromCodePoint(0x4e00 + nth)), filled(() => '漢'), false],
    ['one word', 'a'.repeat(charactersMax), 'b'.repeat(charactersMax), true],
    ['deep markup', deep('b'), deep('i'), true],
    ['one large attribute', `<p title="${filled(() => 'a')}">a b</p>`, `<p title="${filled(() => 'b')}">a b</p>`, true],
    ['different links only', filled((nth) => `<a href="/a${nth}">x</a>`), filled((nth) => `<a href="/b${nth}">x</a>`), false],
    ['markup around every other word', filled(() => 'a<b> </b>'), filled(() => 'a '), true],
    ['another element for each word', filled(() => '<p>a</p>'), filled(() => '<div>b</div>'), false],
  ])('has a bounded size for 100,000 characters: %s', (_, from, to, complete) => {
    const comparison = compareDescriptions(from, to);
    expect(comparison.complete).toBe(complete);
    expect(oldText(comparison)).toBe(textOf(from));
    expect(newText(comparison)).toBe(textOf(to));
    expect(JSON.stringify(comparison).length).toBeLessThan(1_000_000);
  });
});
