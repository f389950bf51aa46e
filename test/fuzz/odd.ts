import type { Random } from '../crash/random.ts';

const texts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e\u2066',
  'e\u0301',
  '👩‍👩‍👧‍👦',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  '-0',
  '1e999',
  '0x10',
  '../../etc/passwd',
  '%00',
  '#{7*7}',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '<a href="javascript:x">y</a>',
  '<'.repeat(200),
  '<b>'.repeat(200),
  '&'.repeat(200),
  '\\',
  '"',
  '\r\n\r\nHTTP/1.1 200 OK',
  '"media_url":"media:',
  '2026-02-30T00:00:00.000Z',
];

export const oddText = (random: Random): string => random.pick(texts) ?? '';

const nested = (depth: number): unknown => {
  let value: unknown = [];
  for (let at = 0; at < depth; at += 1) value = at % 2 === 0 ? [value] : { a: value };
  return value;
};

const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  -(2 ** 53),
  5e-324,
  '7',
  'x',
  [],
  {},
  [[]],
  [null],
  { id: 1 },
  { length: 1e9 },
  { $gt: '' },
  JSON.parse('{"__proto__":{"name":"x"}}'),
  nested(8),
  nested(60),
];

/** Returns a value of any type, rarely a large one. */
export const oddValue = (random: Random): unknown => {
  if (random.chance(0.01)) return Array.from({ length: 5_000 }, (_, nth) => nth);
  if (random.chance(0.01)) return 'x'.repeat(120_000);
  return random.chance(0.3) ? oddText(random) : random.pick(values);
};

export const oddNames: readonly string[] = ['__proto__', 'constructor', 'toString', 'id', 'account', 'media_url', '', 'a.b', '$set', '0'];

/** Ids for a path, none of which names an object. */
export const oddIds: readonly string[] = [
  '0',
  '-1',
  '1.5',
  '01',
  'abc',
  '9007199254740992',
  '99999999999999999999999',
  '1e3',
  '%00',
  '%',
  '%zz',
  '%c0%af',
  '%F0%9F%98%80',
  '__proto__',
  '1%2f2',
  '..%2f1',
  'x'.repeat(2_000),
  '1;a=b',
  '1,2',
  '+1',
  '*',
];
