import { described, fields, flattened, jsonText, plain, table } from './output.ts';

describe('a table', () => {
  it('aligns its columns by characters, and leaves no blanks at the ends of lines', () => {
    expect(
      table(
        ['NAME', 'STATUS'],
        [
          ['Zürich', 'active'],
          ['東京', ''],
        ],
      ),
    ).toBe('NAME    STATUS\nZürich  active\n東京');
  });

  it('consists of its headings where there are no rows', () => {
    expect(table(['NAME', 'STATUS'], [])).toBe('NAME  STATUS');
  });
});

describe('a name from outside the program', () => {
  it('cannot control the terminal', () => {
    expect(plain('\u001b[2Jgone\u001b]0;title\u0007 \r\nnext\u009b31m')).not.toMatch(/\p{Cc}/u);
    expect(plain('Café\nBar')).toBe('Café Bar');
  });

  it('cannot reverse the text around it', () => {
    expect(plain('red\u202egreen\u2066 next\u2028line')).toBe('red green  next line');
  });

  it('controls no terminal in JSON either, and is the same text there', () => {
    const text = '\u001b[2J\u009b31m\u007f\u202e\u2028é';
    expect(jsonText({ text })).not.toMatch(/[\p{Cc}\p{Bidi_C}\u2028]/u);
    expect(JSON.parse(jsonText({ text }))).toEqual({ text });
  });
});

describe('the fields of a response', () => {
  it('are printed one per line, names and values aligned', () => {
    expect(
      fields([
        ['client id', 'a1'],
        ['name', 2],
      ]),
    ).toBe('client id  a1\nname       2');
  });

  it('are found at any depth, and named in words', () => {
    expect(flattened({ readPosition: 7, missing: [], held_by: { memoryBytes: 1 }, last: null, parts: ['a', 'b'] })).toEqual([
      ['read position', '7'],
      ['missing', 'none'],
      ['held by memory bytes', '1'],
      ['last', 'none'],
      ['parts', 'a, b'],
    ]);
  });
});

it('A response with lists of similar objects shows each list as a table', () => {
  const answer = {
    ready: true,
    processes: [
      { name: 'relay', active: true },
      { name: 'auth', memoryBytes: 7 },
    ],
    missing: [],
  };
  expect(described(answer)).toBe(
    'ready    true\nmissing  none\n\nprocesses\nNAME   ACTIVE  MEMORY BYTES\nrelay  true    -\nauth   -       7',
  );
});
