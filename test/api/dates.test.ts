import { type Answer, faults, statusAndBody } from './client.ts';
import { make, resourceNamed } from './samples.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const start = '2030-06-21T20:00:00.000Z';
const end = '2030-06-22T02:00:00.000Z';

const postDates = async (dates: unknown): Promise<Answer> => {
  const me = await waymark.account();
  return me.post('/events', await resourceNamed('events').body(me, { dates }));
};

const expectDatesRefused = (answer: Answer): void => {
  expect(faults(answer)).toEqual(['dates']);
};

describe('dates:', () => {
  it.each([
    '2030-02-28T23:59:59.999Z',
    '2028-02-29T12:00:00.000Z',
    '2000-02-29T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
  ])('%s is accepted and comes back as it was sent', async (instant) => {
    const answer = await postDates([{ start: instant, end: instant }]);
    expect(answer.body).toMatchObject({ dates: [{ start: instant, end: instant }] });
  });

  it.each([
    '2030-06-21T20:00:60.000Z',
    '2016-12-31T23:59:60.000Z',
    '2030-06-21T24:00:00.000Z',
    '2030-06-21T20:60:00.000Z',
    '2030-02-29T00:00:00.000Z',
    '1900-02-29T00:00:00.000Z',
    '2030-13-01T00:00:00.000Z',
    '2030-00-01T00:00:00.000Z',
    '2030-06-31T00:00:00.000Z',
    '2030-06-00T00:00:00.000Z',
    '2030-06-21T20:00:00Z',
    '2030-06-21T20:00:00.00Z',
    '2030-06-21T20:00:00.0000Z',
    '2030-06-21T20:00:00.000',
    '2030-06-21T20:00:00.000+00:00',
    '2030-06-21T20:00:00.000z',
    '2030-06-21t20:00:00.000Z',
    '2030-06-21 20:00:00.000Z',
    '2030-6-21T20:00:00.000Z',
    '+002030-06-21T20:00:00.000Z',
    '2030-06-21',
    ' 2030-06-21T20:00:00.000Z',
    '2030-06-21T20:00:00.000Z\n',
    '٢٠٣٠-06-21T20:00:00.000Z',
    '',
    null,
    1_900_000_000_000,
    {},
  ])('%j is refused, as start and as end', async (instant) => {
    expectDatesRefused(await postDates([{ start: instant, end: '9999-01-01T00:00:00.000Z' }]));
    expectDatesRefused(await postDates([{ start: '0002-01-01T00:00:00.000Z', end: instant }]));
  });

  it('an end before its start is refused, an end equal to its start is accepted', async () => {
    expectDatesRefused(await postDates([{ start: end, end: start }]));
    expectDatesRefused(
      await postDates([
        { start, end },
        { start: '2030-06-21T20:00:00.001Z', end: start },
      ]),
    );
    expect((await postDates([{ start, end: start }])).status).toBe(201);
  });

  it.each([[[{ start }]], [[{ end }]], [[{}]], [[null]], [[[start, end]]]])('an invalid range is refused: %j', async (dates) => {
    expectDatesRefused(await postDates(dates));
  });

  it('a missing end is reported by its name', async () => {
    const answer = await postDates([{ start, end }, { start }]);
    expectDatesRefused(answer);
    expect(answer.text).toContain('This field is required.');
    expect(answer.text).toContain('"end"');
    expect(answer.text).not.toContain('"start"');
  });

  it('1,000 ranges are accepted and their order is kept', async () => {
    const dates = Array.from({ length: 1_000 }, (_, at) => ({ start, end: new Date(Date.parse(end) + ((at * 7) % 1_000)).toISOString() }));
    expect((await postDates(dates)).body).toMatchObject({ dates });
  });

  it('1,001 ranges are refused', async () => {
    const answer = await postDates(Array.from({ length: 1_001 }, () => ({ start, end })));
    expectDatesRefused(answer);
    expect(answer.text).toContain('Ensure this field has no more than 1000 elements.');
  });

  it('an empty list of ranges is refused', async () => {
    expect(statusAndBody(await postDates([]))).toEqual({ status: 400, body: { dates: ['This list may not be empty.'] } });
  });

  it('unknown fields in a range are ignored', async () => {
    const answer = await postDates([{ start, end, zone: 'Europe/Berlin' }]);
    expect(answer.body).toMatchObject({ dates: [{ start, end }] });
    expect((answer.body as { dates: unknown }).dates).toEqual([{ start, end }]);
  });

  it('PUT replaces them as a whole', async () => {
    const me = await waymark.account();
    const made = await make(me, 'events');
    const dates = [
      { start: end, end },
      { start, end },
    ];
    const answer = await me.put(`/events/${made.id}`, { name: made['name'], pinpoint: made['pinpoint'], dates });
    expect(statusAndBody(answer)).toEqual({ status: 200, body: { ...made, dates } });
  });
});
