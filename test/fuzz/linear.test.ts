import { createSanitizer } from '@waymark/commands/html/sanitizer.ts';
import { parsePinpoint } from '@waymark/http/api/schemas/pinpoint.ts';
import { isContentType } from '@waymark/http/request/body.ts';
import { exceededBound } from '@waymark/http/request/json-values.ts';
import { completeFiles } from '@waymark/read-models/representations/files.ts';
import { type Random, randomFrom } from '../crash/random.ts';
import { costFault, type Parser, type Shape } from './cost.ts';
import { batchMs, requests, seed, seeded } from './settings.ts';

const sanitized = createSanitizer(64 * 1024 * 1024);
let texts = 0;
/** Sanitises a text that differs from all earlier ones, because the sanitiser caches its results. */
const sanitise = (text: string) => {
  texts += 1;
  return sanitized(`${text}${texts}`);
};
const field = (name: string) => (text: string) => parsePinpoint({ name: 'x', latitude: 0, longitude: 0, [name]: text });

const parsers: Readonly<Record<string, Parser>> = {
  'the sanitiser': { parse: sanitise, charactersMax: 100_000 },
  'a name': { parse: field('name'), charactersMax: 400_000 },
  'a description': { parse: field('description'), charactersMax: 400_000 },
  'the count of JSON values': {
    parse: (text) => exceededBound(Buffer.from(text), { valuesMax: 1e9, depthMax: 1e9 }),
    charactersMax: 500_000,
  },
  'a content type': { parse: (text) => isContentType(text, 'application/json'), charactersMax: 16_000 },
  'the URLs of files': { parse: (text) => completeFiles(text, 'https://example.org'), charactersMax: 2_000_000 },
};

const pieces = [
  ...[
    '<',
    '>',
    '/',
    '</',
    '<!--',
    '-->',
    '<!',
    '<![CDATA[',
    '<?',
    '&',
    '&#',
    '&amp',
    '&amp;',
    '&#x301;',
    '&#60;',
    '"',
    "'",
    '=',
    ' ',
    '\n',
  ],
  ...[
    '<a',
    '<a href="',
    '<a href=x>',
    '</a>',
    '<b>',
    '</b>',
    '<i>',
    '</i>',
    '<p>',
    '</p>',
    '<x>',
    '</y>',
    '<br>',
    '<img src=x>',
    '<div>',
    '</div>',
  ],
  ...[
    '<table>',
    '<td>',
    '<li>',
    '<ul>',
    '<option>',
    '<svg>',
    '</svg>',
    '<math>',
    '<title>',
    '<form>',
    '<script>',
    '</script',
    '<style>',
    '<textarea>',
  ],
  ...[
    'a',
    'http:',
    'javascript:',
    ':',
    ';',
    '\\',
    '\0',
    '\u0301',
    '\u0316',
    'a\u0301',
    '\u0344',
    '\u1100',
    '\u1161',
    '\u11a8',
    '😀',
    '\u0338',
    '#',
    '{',
    '},',
    '[',
  ],
  ...['"media_url":"media:', '"image_url":"', ' class="', ' title=x', 'charset=utf-8;', ',', '1', '\\"', '\u00a0'],
];

const drawn = (random: Random): string => Array.from({ length: 1 + random.below(3) }, () => random.pick(pieces) ?? '').join('');

/** Returns a shape with one repeated piece, or with one and then another, between two other pieces. */
const randomShape = (random: Random): Shape => {
  const [before, after] = [drawn(random), drawn(random)];
  const repeated = random.chance(0.5) ? [drawn(random)] : [drawn(random), drawn(random)];
  return shapeOf(before, repeated, after);
};

const shapeOf = (before: string, repeated: readonly string[], after: string): Shape => ({
  description: JSON.stringify([before, repeated, after]),
  text: (characters) =>
    before + repeated.map((piece) => piece.repeat(Math.floor(characters / repeated.length / piece.length))).join('') + after,
});

const known: readonly Shape[] = [
  shapeOf('', ['<b>', '</i>'], ''),
  shapeOf('', ['<b>'], ''),
  shapeOf('', ['<svg>', '</y>'], ''),
  shapeOf('', ['\u0301'], ''),
  shapeOf('a', ['\u0316\u0301'], ''),
  shapeOf('<a href="', ['<!---->'], '">'),
  shapeOf('application/json', [' '], 'x'),
  shapeOf('{"a":"', ['\\"'], '"}'),
];

describe('the cost of a text grows no faster than its length:', () => {
  it('a pattern with quadratic cost is detected', async () => {
    const squared: Parser = { parse: (text) => / +x/.test(text), charactersMax: 32_000 };
    expect(await costFault(squared, shapeOf('', [' '], ''))).toMatch(/ms for 32000$/);
  });

  it.each(Object.entries(parsers).flatMap(([name, parser]) => known.map((shape) => [name, shape.description, parser, shape] as const)))(
    '%s, given %s',
    async (_name, _said, parser, shape) => {
      expect(await costFault(parser, shape)).toBeUndefined();
    },
    batchMs,
  );

  it.each(Object.entries(parsers))(
    '%s, given random shapes',
    (name, parser) =>
      seeded(async () => {
        const random = randomFrom(seed + name.length);
        for (let shape = 0; shape < requests / shapesPart; shape += 1) expect(await costFault(parser, randomShape(random))).toBeUndefined();
      })(),
    batchMs,
  );
});

/** The number of requests that take as long as one shape. */
const shapesPart = 100;
