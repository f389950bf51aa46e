import { faults, statusAndBody } from './client.ts';
import { aPinpoint, make, resourceNamed } from './samples.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const json = { 'Content-Type': 'application/json' };

const notANumber = 'A valid number is required.';
const notAnInteger = 'A valid integer is required.';
const atMost = (most: number): string => `Ensure this value is less than or equal to ${most}.`;
const atLeast = (least: number): string => `Ensure this value is greater than or equal to ${least}.`;

describe('Numbers:', () => {
  it.each([
    ['latitude', 90],
    ['latitude', -90],
    ['longitude', 180],
    ['longitude', -180],
    ['altitude', 1_000_000],
    ['altitude', -12_000],
    ['altitude', 0],
    ['latitude', 0],
  ])('%s %d is accepted', async (field, value) => {
    const me = await waymark.account();
    expect((await me.create('/pinpoints', aPinpoint({ [field]: value })))[field]).toBe(value);
  });

  it.each([
    ['latitude', 90.000001, atMost(90)],
    ['latitude', -90.000001, atLeast(-90)],
    ['longitude', 180.5, atMost(180)],
    ['longitude', -181, atLeast(-180)],
    ['altitude', 1_000_001, atMost(1_000_000)],
    ['altitude', -12_000.5, atLeast(-12_000)],
    ['latitude', '54.18', notANumber],
    ['longitude', '', notANumber],
    ['altitude', '12', notANumber],
    ['latitude', true, notANumber],
    ['longitude', [7.88], notANumber],
    ['altitude', {}, notANumber],
    ['category', '7', notAnInteger],
    ['category', 1.5, notAnInteger],
    ['category', true, notAnInteger],
    ['category', [1], notAnInteger],
  ])('%s %j is refused: %s', async (field, value, message) => {
    const me = await waymark.account();
    const refusal = { status: 400, body: { [field]: [message] } };
    expect(statusAndBody(await me.post('/pinpoints', aPinpoint({ [field]: value })))).toEqual(refusal);
    const { id } = await me.create('/pinpoints', aPinpoint());
    expect(statusAndBody(await me.put(`/pinpoints/${id}`, aPinpoint({ [field]: value })))).toEqual(refusal);
  });

  it.each(['1', 1.5, false, {}])("an event's pinpoint %j is refused", async (pinpoint) => {
    const me = await waymark.account();
    const body = await resourceNamed('events').body(me, { pinpoint });
    expect(statusAndBody(await me.post('/events', body))).toEqual({ status: 400, body: { pinpoint: [notAnInteger] } });
  });

  it.each(['latitude', 'longitude', 'altitude'])('%s beyond the range of a double is refused', async (field) => {
    const me = await waymark.account();
    const body = JSON.stringify(aPinpoint({ [field]: 'HERE' })).replace('"HERE"', '1e400');
    const answer = await me.send('POST', '/pinpoints', { headers: json, body });
    expect(faults(answer)).toEqual([field]);
  });

  it.each(['NaN', 'Infinity', '0x10', '+1', '.5', '01'])('%s is not valid JSON', async (literal) => {
    const me = await waymark.account();
    const body = JSON.stringify(aPinpoint({ latitude: 'HERE' })).replace('"HERE"', literal);
    const answer = await me.send('POST', '/pinpoints', { headers: json, body });
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { detail: expect.stringMatching(/^JSON parse error - /) } });
  });

  it.each(['54.1812345678901234', '0.30000000000000004', '89.99999999999999', '5e-324', '-1.7976931348623157e-308', '4.5e1'])(
    'a coordinate is returned as the same double: %s',
    async (literal) => {
      const double = Number(literal);
      const me = await waymark.account();
      const body = JSON.stringify(aPinpoint({ latitude: 'A', longitude: 'B' }))
        .replace('"A"', literal)
        .replace('"B"', literal);
      const made = await me.send('POST', '/pinpoints', { headers: json, body });
      expect(made.body).toMatchObject({ latitude: double, longitude: double });
      const { id } = made.body as { id: number };
      expect(await me.read(`/pinpoints/${id}`)).toMatchObject({ latitude: double, longitude: double });
    },
  );

  it('an integer written with a fraction of zero is an integer', async () => {
    const me = await waymark.account();
    const category = await make(me, 'categories');
    const body = JSON.stringify(aPinpoint({ category: 'HERE' })).replace('"HERE"', `${category.id}.0`);
    expect((await me.send('POST', '/pinpoints', { headers: json, body })).body).toMatchObject({ category: category.id });
  });
});
