import fc from 'fast-check';
import { decodeBase64 } from './base64.ts';

/** Decodes by encoding again, which takes more memory. */
const decodedAndCompared = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return text.length % 4 === 0 && bytes.toString('base64') === text ? bytes : undefined;
};

describe('base64', () => {
  it('of any bytes is decoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 70 }), (bytes) => {
        expect(decodeBase64(Buffer.from(bytes).toString('base64'))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('is decoded only in its canonical form', () => {
    const character = fc.constantFrom(...'AQgwB+/=-_ \n9zé');
    const ending = fc.array(character, { maxLength: 5 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(fc.base64String({ maxLength: 40 }), ending, (start, end) => {
        expect(decodeBase64(start + end)).toEqual(decodedAndCompared(start + end));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each(['AB==', 'AAB=', '====', 'A===', 'AA=A', 'AAAA====', 'AA==AAAA', 'AAAAA'])('does not include %s', (text) =>
    expect(decodeBase64(text)).toBeUndefined(),
  );
});
