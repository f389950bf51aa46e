import fc from 'fast-check';
import { exceededBound } from './json-values.ts';

const exceeded = (text: string, valuesMax: number, depthMax = 1_000) => exceededBound(Buffer.from(text), { valuesMax, depthMax });

/** Counts the values within a value. */
const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce((sum: number, one) => sum + 1 + valuesIn(one), 0) : 0;

describe('the count of the values of a JSON text', () => {
  it.each([
    ['{}', 0],
    ['[ \n]', 0],
    ['[1]', 1],
    ['[[]]', 1],
    ['[[],{}]', 2],
    ['[ { } , [\t\r\n] ]', 2],
    ['{"a":[],"b":{"c":[1,2]}}', 5],
    ['["[]","{,",{"[":"]"}]', 4],
    [`[${'[],'.repeat(19_999)}[]]`, 20_000],
  ])('is exact: %.30s', (text, count) => {
    expect(exceeded(text, count)).toBeUndefined();
    expect(exceeded(text, count - 1)).toBe('valuesMax');
  });

  it('is exact for any value, however it is indented', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t', '   '), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const count = valuesIn(value);
        expect(exceeded(text, count)).toBeUndefined();
        expect(exceeded(text, count - 1)).toBe('valuesMax');
      }),
    );
  });

  it.each(['[', '{', '[ ', '[1,', '"', '"\\'])('ends with a text that is cut off: %s', (text) => {
    expect(exceeded(text, 10)).toBeUndefined();
  });
});

describe('the depth of a JSON text', () => {
  it('is exact, with empty containers and without', () => {
    expect(exceeded('[[{"a":[]}]]', 10, 4)).toBeUndefined();
    expect(exceeded('[[{"a":[]}]]', 10, 3)).toBe('depthMax');
    expect(exceeded('[[],[],[ ],{}]', 10, 2)).toBeUndefined();
  });
});
