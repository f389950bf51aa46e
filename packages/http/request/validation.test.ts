import { parseCategory, parseNewCategory } from '../api/schemas/category.ts';
import { parseList } from '../api/schemas/list.ts';
import { parsePinpoint } from '../api/schemas/pinpoint.ts';
import { parseUndoJob } from '../api/schemas/undo.ts';
import { HttpError } from '../errors.ts';
import { jsonType, type Parsed, requireValid } from './validation.ts';

const pinpoint = { name: 'Harbour light', latitude: 55.303, longitude: 21.005 };
const file = { content: 'aGVsbG8=', name: 'a.png', type: 'image/png' };

const problemOf = (work: () => unknown): HttpError => {
  try {
    work();
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
  throw new Error('The input was accepted.');
};

/** Parses JSON text, which can contain what an object literal cannot. */
const fromText = (text: string): unknown => JSON.parse(text);

describe('an invalid pinpoint', () => {
  const faults: readonly [message: string, fault: object][] = [
    ['This field is required.', { name: undefined }],
    ['This field may not be null.', { name: null }],
    ['This field may not be null.', { latitude: null }],
    ['This field may not be blank.', { name: '' }],
    ['This field may not be blank.', { name: ' \t\n\u00a0\ufeff' }],
    ['Not a valid string.', { name: 7 }],
    ['Not a valid string.', { address: {} }],
    ['Not a valid string.', { description: [] }],
    ['Not a valid string.', { media_credits: true }],
    ['Ensure this field has no more than 255 characters.', { name: 'x'.repeat(256) }],
    ['Ensure this field has no more than 1000 characters.', { address: 'x'.repeat(1_001) }],
    ['Ensure this field has no more than 100000 characters.', { description: 'x'.repeat(100_001) }],
    ['A valid number is required.', { latitude: '55' }],
    ['A valid number is required.', { longitude: [] }],
    ['A valid number is required.', { altitude: '' }],
    ['A valid number is required.', { latitude: Number.POSITIVE_INFINITY }],
    ['Ensure this value is less than or equal to 90.', { latitude: 90.000_000_1 }],
    ['Ensure this value is greater than or equal to -90.', { latitude: -91 }],
    ['Ensure this value is less than or equal to 180.', { longitude: 181 }],
    ['Ensure this value is greater than or equal to -12000.', { altitude: -12_001 }],
    ['Ensure this value is less than or equal to 1000000.', { altitude: 1_000_001 }],
    ['A valid integer is required.', { category: '4' }],
    ['A valid integer is required.', { category: '' }],
    ['A valid integer is required.', { category: 4.5 }],
    ['Expected a list of items but got type "string".', { tags: 'light' }],
    ['Expected a list of items but got type "object".', { tags: {} }],
    ['Ensure this field has no more than 100 elements.', { tags: Array.from({ length: 101 }, () => 'x') }],
    ['Invalid data. Expected an object, but got string.', { media_file: 'x' }],
    ['Invalid data. Expected an object, but got array.', { media_file: [] }],
    ['Null characters and unpaired surrogates are not allowed.', { name: 'a\0b' }],
    ['Null characters and unpaired surrogates are not allowed.', { description: '\ud800' }],
  ];

  it.each(faults)('is refused with "%s" for %j', (message, fault) => {
    const [field = ''] = Object.keys(fault);
    const body = Object.entries({ ...pinpoint, ...fault }).filter(([, value]) => value !== undefined);
    expect(parsePinpoint(Object.fromEntries(body)).errors).toEqual({ [field]: [message] });
  });

  it('has all of its faults reported at once, and its valid fields kept', () => {
    const body = { name: '', latitude: 91, longitude: '7', tags: ['ok', ''], description: 'fine', media_file: { name: 7 } };
    expect(parsePinpoint(body)).toEqual({
      valid: { description: 'fine' },
      errors: {
        name: ['This field may not be blank.'],
        latitude: ['Ensure this value is less than or equal to 90.'],
        longitude: ['A valid number is required.'],
        tags: { 1: ['This field may not be blank.'] },
        media_file: { content: ['This field is required.'], name: ['Not a valid string.'], type: ['This field is required.'] },
      },
    });
  });

  it('has a field that is too long reported together with the faults of its elements', () => {
    const tags = Array.from({ length: 5_000 }, (_, index) => (index === 0 ? 7 : 'x'));
    expect(parsePinpoint({ ...pinpoint, tags }).errors).toEqual({
      tags: { 0: ['Not a valid string.'], non_field_errors: ['Ensure this field has no more than 100 elements.'] },
    });
  });

  it.each([[[]], [7], ['x'], [null], [true], [undefined]])('is refused if it is not an object: %j', (body) => {
    const message = `Invalid data. Expected an object, but got ${jsonType(body)}.`;
    expect(problemOf(() => parsePinpoint(body))).toMatchObject({ status: 400, body: { non_field_errors: [message] } });
  });
});

describe('a valid pinpoint', () => {
  it.each([
    ['only the required fields', {}],
    [
      'null in every optional field',
      { address: null, altitude: null, category: null, description: null, media_credits: null, media_file: null, tags: null },
    ],
    ['empty texts', { address: '', description: '', media_credits: '', tags: [] }],
    ['the extreme coordinates', { latitude: -90, longitude: 180, altitude: 1_000_000 }],
    ['a file', { media_file: file }],
    ['255 characters that are 510 code units', { name: '🏴'.repeat(255) }],
  ])('may have %s', (_, fields) => {
    const body = { ...pinpoint, ...fields };
    expect(requireValid(parsePinpoint(structuredClone(body)))).toEqual(body);
  });

  it('has all texts in NFC, and only name and tags trimmed', () => {
    const body = {
      ...pinpoint,
      name: ' Cafe\u0301 ',
      tags: [' e\u0301\t'],
      address: ' A\u030a ',
      media_file: { ...file, name: 'e\u0301.png' },
    };
    expect(requireValid(parsePinpoint(body))).toMatchObject({ name: 'Café', tags: ['é'], address: ' Å ', media_file: { name: 'é.png' } });
  });

  it('has the length of its name checked after trimming and normalisation', () => {
    expect(parsePinpoint({ ...pinpoint, name: ` ${'e\u0301'.repeat(255)} ` }).errors).toEqual({});
    expect(parsePinpoint({ ...pinpoint, name: 'e\u0301'.repeat(256) }).errors).toHaveProperty('name');
    // In NFC, this character becomes two.
    expect(parsePinpoint({ ...pinpoint, name: '\u0958'.repeat(127) }).errors).toEqual({});
    const tooLong = { name: ['Ensure this field has no more than 255 characters.'] };
    expect(parsePinpoint({ ...pinpoint, name: '\u0958'.repeat(128) }).errors).toEqual(tooLong);
    expect(parsePinpoint({ ...pinpoint, name: '\u0958'.repeat(256) }).errors).toEqual(tooLong);
  });

  it('keeps the exact value of a number', () => {
    const body = { ...pinpoint, latitude: 0.1 + 0.2, longitude: 5e-324 };
    expect(requireValid(parsePinpoint(body))).toEqual(body);
  });

  it('is refused if a further check finds a fault', () => {
    const parsed: Parsed<object> = parsePinpoint({ name: '', latitude: 1, longitude: 2 });
    const more = { category: ['Invalid pk "9" - object does not exist.'] };
    expect(problemOf(() => requireValid(parsed, {}, more))).toMatchObject({
      status: 400,
      body: { name: ['This field may not be blank.'], ...more },
    });
    expect(problemOf(() => requireValid(parsePinpoint(pinpoint), more))).toMatchObject({ body: more });
  });
});

describe('a category', () => {
  it('needs an image when it is created, but not when it is updated', () => {
    expect(parseNewCategory({ name: 'x' }).errors).toEqual({ image_file: ['This field is required.'] });
    expect(parseCategory({ name: 'x' }).errors).toEqual({});
  });

  it('cannot lose its image', () => {
    expect(parseCategory({ name: 'x', image_file: null }).errors).toEqual({ image_file: ['This field may not be null.'] });
  });
});

describe('a field that is true or false', () => {
  it.each(['true', 1, [], {}])('is refused if it has another type: %j', (value) => {
    expect(parseUndoJob({ correlation: 'a', dry_run: value }).errors).toEqual({ dry_run: ['Must be a valid boolean.'] });
  });
});

describe('a hostile body', () => {
  it.each([
    '{"__proto__":{"name":"x","latitude":1,"longitude":1}}',
    '{"constructor":{"prototype":{"name":"x"}}}',
    '{"toString":1,"valueOf":2,"hasOwnProperty":3}',
  ])('sets no field through a prototype: %s', (text) => {
    expect(parsePinpoint(fromText(text))).toEqual({
      valid: {},
      errors: { name: ['This field is required.'], latitude: ['This field is required.'], longitude: ['This field is required.'] },
    });
    expect(({} as { name?: unknown }).name).toBeUndefined();
  });

  it('sets no field of a file through a prototype', () => {
    const body = fromText(`{"name":"x","image_file":{"__proto__":${JSON.stringify(file)}}}`);
    expect(Object.keys(parseCategory(body).errors['image_file'] ?? {})).toEqual(['content', 'name', 'type']);
  });

  it('loses its unknown fields', () => {
    const body = fromText(`{"name":"x","colour":"red","__proto__":{"a":1},"id":7}`);
    const valid = requireValid(parseList(body));
    expect(Object.keys(valid)).toEqual(['name']);
    expect(Object.getPrototypeOf(valid)).toBe(Object.prototype);
  });

  it('may have unknown fields nested to any depth', () => {
    let deep: unknown = 'x';
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(parseList({ name: 'x', deep }).errors).toEqual({});
    expect(parseList({ name: deep }).errors).toEqual({ name: ['Not a valid string.'] });
    expect(parsePinpoint({ ...pinpoint, tags: [deep] }).errors).toEqual({ tags: { 0: ['Not a valid string.'] } });
  });
});
