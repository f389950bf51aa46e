import { parseHappening } from './happening.ts';

const range = { start: '2026-06-01T08:00:00.000Z', end: '2026-06-01T18:00:00.000Z' };
const happening = { name: 'Open day', pinpoint: 12, dates: [range] };

describe('dates', () => {
  const errorsOf = (dates: unknown): unknown => parseHappening({ ...happening, dates }).errors['dates'];
  const wrong = ['Datetime has wrong format. Use this format: YYYY-MM-DDThh:mm:ss.sssZ.'];

  it.each([
    '2026-06-01',
    '2026-06-01T08:00:00Z',
    '2026-06-01T08:00:00.000',
    '2026-06-01T08:00:00.000z',
    '2026-06-01t08:00:00.000Z',
    '2026-06-01T08:00:00.000+00:00',
    '2026-06-01T24:00:00.000Z',
    '2026-06-01T23:59:60.000Z',
    '2026-02-29T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-06-31T00:00:00.000Z',
    '+002026-06-01T08:00:00.000Z',
    ' 2026-06-01T08:00:00.000Z',
    '2026-06-01T08:00:00.000Z\n',
    '',
  ])('are invalid: %j', (start) => {
    expect(errorsOf([{ ...range, start }])).toEqual([{ start: wrong }]);
  });

  it.each(['2024-02-29T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])('are valid: %s', (moment) => {
    expect(errorsOf([{ start: moment, end: moment }])).toBeUndefined();
  });

  it.each([
    [
      'a range that ends before it starts',
      [{ start: range.end, end: range.start }],
      [{ non_field_errors: ['The end may not be before the start.'] }],
    ],
    ['an entry for each range up to the last faulty one', [range, { ...range, end: 7 }, range], [{}, { end: ['Not a valid string.'] }]],
    ['a range without anything', [{}], [{ start: ['This field is required.'], end: ['This field is required.'] }]],
    [
      'a range that is none',
      ['x', range, null],
      [
        { non_field_errors: ['Invalid data. Expected an object, but got string.'] },
        {},
        { non_field_errors: ['This field may not be null.'] },
      ],
    ],
    ['no order where there is no moment', [{ start: 'x', end: 'a' }], [{ start: wrong, end: wrong }]],
    ['no ranges', [], ['This list may not be empty.']],
    [
      'too many ranges, whatever else is wrong',
      Array.from({ length: 1_001 }, () => ({})),
      ['Ensure this field has no more than 1000 elements.'],
    ],
    ['no list', {}, ['Expected a list of items but got type "object".']],
    ['null', null, ['This field may not be null.']],
  ])('report %s', (_, dates, errors) => {
    expect(errorsOf(dates)).toEqual(errors);
  });

  it('are read only up to their limit', () => {
    let looks = 0;
    const range = {
      get start() {
        looks += 1;
        return 7;
      },
    };
    expect(errorsOf(Array.from({ length: 100_000 }, () => range))).toEqual(['Ensure this field has no more than 1000 elements.']);
    expect(looks).toBeLessThan(10_000);
  });
});
