import { anyCharacter } from '@waymark/domain/testing/characters.ts';
import fc from 'fast-check';

/** Texts that programs often handle wrongly. */
const odd: readonly string[] = [
  '',
  ' ',
  '\t\r\n',
  '\u00a0\u2003\ufeff',
  ' padded\n',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udc00b',
  '\u202eright to left',
  'مرحبا שלום',
  'e\u0301',
  '\u00e9',
  '\u0301a mark with nothing before it',
  '\ufb01\u1e9b\u0323',
  'family 👩‍👩‍👧‍👦, flag 🏴‍☠️',
  '𝒳',
  '\u2028\u2029',
  '\u001b[31mred\u0007',
  '\r\nSet-Cookie: a=b',
  '__proto__',
  'constructor',
  'null',
  '{"$gt":""}',
  "'; DROP TABLE pinpoint; --",
  '<script>alert(1)</script>',
  '<b>bold</b> &amp; & "quoted" \\',
  '"media_url":"media:',
  'media:0f1e2d3c4b5a69788796a5b4c3d2e1f0.png',
  '../../etc/passwd',
  '%00%2e%2e',
];

/** Returns texts around a limit, from characters of one, two and four bytes, and from one that NFC turns into two. */
const around = (limit: number): readonly string[] =>
  ['x', 'é', '𝒳', '\u0958', 'e\u0301'].flatMap((character) => [limit - 1, limit, limit + 1].map((length) => character.repeat(length)));

/** Hostile and harmless texts. Some of them are at the limit of the field, in code points. */
export const anyText = (limit: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 24, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
    { weight: 4, arbitrary: fc.string({ unit: anyCharacter, maxLength: 12 }) },
    { weight: 8, arbitrary: fc.constantFrom(...odd) },
    { weight: 1, arbitrary: fc.constantFrom(...around(limit)) },
  );

/** Descriptions as they are sent, and what is kept of each. */
export const markup: ReadonlyMap<string, string> = new Map([
  ['<p>White and red.</p>', '<p>White and red.</p>'],
  ['<b class="x">b</b><br>', '<b class="x">b</b><br />'],
  ['<a href="https://example.org/">a</a>', '<a href="https://example.org/">a</a>'],
  ['<script>alert(1)</script>after', 'after'],
  ['<style>p{}</style>styled', 'styled'],
  ['<p onclick="go()">p</p>', '<p>p</p>'],
  ['<a href="javascript:go()">a</a>', '<a>a</a>'],
  ['<iframe src="https://example.org/"></iframe>', ''],
  ['a & b', 'a &amp; b'],
  ['a < b', 'a &lt; b'],
  ['<p>e\u0301 &amp; \u202e</p>', '<p>\u00e9 &amp; \u202e</p>'],
]);

/** Descriptions whose markup is in the table, and descriptions without markup. */
export const anyDescription: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...markup.keys()) },
  { weight: 3, arbitrary: anyText(100).filter((text) => !/[<>&]/.test(text)) },
);
