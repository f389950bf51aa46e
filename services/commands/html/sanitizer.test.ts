import fc from 'fast-check';
import sanitizeHtml from 'sanitize-html';
import { sanitizedCharacters } from '../limits.ts';
import { isPlainHtml } from './plain-html.ts';
import { allowList, createSanitizer } from './sanitizer.ts';

const mebibyte = 1024 * 1024;
const sanitized = createSanitizer(512 * mebibyte);

const pieces = [
  ...['<p>', '</p>', '<b>', '</b>', '<em>', '</em>', '<strong>', '</strong>', '<sub>', '</sub>', '<code>', '</code>'],
  ...['&amp;', '&lt;', '&gt;', '&', '&quot;', '&#60;', '<', '>', '<br>', '<P>', '<b >', '<script>', '</script>', '<b class="x">'],
  ...['text', ' ', '\n', '\r\n', '\t', "'", '"', '`', '=', '\u00a0', 'é', '\u202e', '🗼', '-->', '<!--', ']]>', '/', 'javascript:'],
];
const html = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join(''));

/** Balanced, so that a large part of it is plain. */
const balanced = fc.letrec<{ inline: string }>((tie) => ({
  inline: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('text ', "keeper's", '&amp;', '&lt;b&gt;', '\n', '🗼'),
    fc
      .tuple(fc.constantFrom('b', 'i', 'em', 'strong', 'u', 's', 'small', 'sub', 'sup', 'code'), tie('inline'))
      .map(([tag, within]) => `<${tag}>${within}</${tag}>`),
    fc.tuple(tie('inline'), tie('inline')).map((both) => both.join('')),
  ),
})).inline;
const paragraphs = fc
  .array(fc.tuple(fc.boolean(), balanced), { maxLength: 5 })
  .map((parts) => parts.map(([p, text]) => (p ? `<p>${text}</p>` : text)).join(''));

const runs = { numRuns: 5_000 };

describe('Text that passes the check for plain HTML', () => {
  it('is left unchanged by the sanitiser', () => {
    fc.assert(
      fc.property(
        fc.oneof(html, paragraphs, fc.string({ unit: 'grapheme' })),
        (text) => !isPlainHtml(text) || sanitizeHtml(text, allowList) === text,
      ),
      runs,
    );
  });

  it('covers most texts of editors', () => {
    fc.assert(fc.property(paragraphs, isPlainHtml), { numRuns: 500 });
  });

  it.each([
    '<p><p>a</p></p>',
    '<b><p>a</p></b>',
    '<b>a',
    'a</b>',
    '<b><i>a</b></i>',
    '<b onclick=x>a</b>',
    'a < b',
    '&nbsp;',
    '<br>',
    '<P>a</P>',
  ])('does not include %s', (text) => {
    expect(isPlainHtml(text)).toBe(false);
  });

  it('is checked in a time that grows with its length only', () => {
    const hostile = [`${'<b>'.repeat(50_000)}`, `${'a'.repeat(100_000)}<`, `${'<p>a</p>'.repeat(12_000)}<x`, '&amp'.repeat(30_000)];
    for (const text of hostile) expect(isPlainHtml(text)).toBe(false);
  });
});

describe('Sanitising', () => {
  it('returns text that the sanitiser leaves unchanged, with and without the quick check', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(html, paragraphs), async (text) => {
        const { html: clean, changed } = await sanitized(text);
        expect(sanitizeHtml(clean, allowList)).toBe(clean);
        expect(changed).toBe(clean !== text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('continues until nothing changes any more', async () => {
    expect(await sanitized('<p><text<p><p>')).toEqual({ html: '<p></p><p></p><p></p>', changed: true });
  });
});

describe('A link', () => {
  const linkTo = async (href: string): Promise<string> => (await sanitized(`<a href="${href}">Tower</a>`)).html;
  const relOf = async (target: string): Promise<string | undefined> =>
    / rel="([^"]*)"/.exec((await sanitized(`<a href="https://example.org" target="${target}">Tower</a>`)).html)?.[1];

  it.each(['', '_self', '_SELF', '_parent', '_top', '_Top'])('with the target %j opens in the same window', async (target) => {
    expect(await relOf(target)).toBeUndefined();
  });

  it.each([' _self', '_self ', '_self\n', '\t_top', ' ', '\u00a0_self', '_blank', 'self'])(
    'with the target %j opens another window, which gets no access to this one',
    async (target) => {
      expect(await relOf(target)).toBe('noopener noreferrer');
    },
  );

  it.each(['//example.org/a?b=1#c', '//example.org', '//javascript:alert(1)'])('to another host stays: %s', async (href) => {
    const html = `<a href="${href}">Tower</a>`;
    expect(await sanitized(html)).toEqual({ html, changed: false });
  });

  it.each(['/\\example.org', '\\\\example.org', '\\/example.org', '/\t/example.org', '\n//example.org', ' //example.org'])(
    'to another host, as browsers read it, stays a link to a host: %j',
    async (href) => {
      expect(new URL(href, 'https://example.com').href).toBe('https://example.org/');
      expect(await linkTo(href)).toBe(`<a href="${href}">Tower</a>`);
    },
  );

  it.each([
    ...[
      'javascript:alert(1)',
      '\tjavascript:alert(1)',
      'java\nscript:alert(1)',
      ' JAVASCRIPT://example.org/%0aalert(1)',
      '\u0001javascript:x',
    ],
    ...['javascript&colon;alert(1)', '&#x6a;avascript:x', 'data:text/html,x', 'data://example.org/,x', 'vbscript:x', 'file:///etc/passwd'],
    ...['blob://example.org/a', 'java<!-- -->script:alert(1)'],
  ])('with active content or another scheme loses its address: %j', async (href) => {
    expect(await linkTo(href)).toBe('<a>Tower</a>');
  });
});

describe('A picture', () => {
  it.each(['//example.org/a.png', 'https://example.org/a.png', '/a.png'])('from any host stays: %s', async (src) => {
    const html = `<img src="${src}" />`;
    expect(await sanitized(html)).toEqual({ html, changed: false });
  });

  it.each(['javascript:alert(1)', 'data:image/svg+xml,x', 'ftp://example.org/a.png', 'mailto:a@example.org'])(
    'with another scheme loses its address: %s',
    async (src) => {
      expect((await sanitized(`<img src="${src}">`)).html).toBe('<img />');
    },
  );
});

describe('Sanitised text', () => {
  const sanitise = async (memoryBytes: number): Promise<{ readonly remembered: boolean }> => {
    const sanitizer = createSanitizer(memoryBytes);
    const first = await sanitizer('<p>the first');
    for (let nth = 0; nth < 10; nth += 1) await sanitizer(`<p>${nth}${'x'.repeat(99_000)}`);
    return { remembered: (await sanitizer('<p>the first')) === first };
  };

  it('is cached in a share of the memory of the process', async () => {
    expect(await sanitise(512 * mebibyte)).toEqual({ remembered: true });
    expect(await sanitise(64 * mebibyte)).toEqual({ remembered: false });
    expect(sanitizedCharacters(64 * 1024 * mebibyte)).toBe(sanitizedCharacters(512 * mebibyte));
  });
});
