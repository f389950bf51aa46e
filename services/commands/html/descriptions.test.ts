import fc from 'fast-check';
import { createDescriptionSanitizer } from './descriptions.ts';

const described = createDescriptionSanitizer(64 * 1024 * 1024);

const marks = { description: ['More than 30 combining marks in a row are not allowed.'] };

describe('a sanitised description', () => {
  it('is in NFC, even though the sanitiser decodes references', async () => {
    expect(await described('<i>e&#x301;</i>')).toEqual({ description: '<i>é</i>', changed: true, errors: {} });
  });

  it.each([
    ['references', '&#x301;'.repeat(31)],
    ['references and characters', `${'\u0301'.repeat(16)}${'&#769;'.repeat(15)}`],
    ['references that decompose into more marks', '&#x344;'.repeat(30)],
    ['many references', '&#x301;'.repeat(14_000)],
  ])('has no more than 30 marks in a row: %s', async (_, text) => {
    expect((await described(`<i>x${text}</i>`)).errors).toEqual(marks);
  });

  it('may have 30', async () => {
    expect(await described(`<i>x${'&#x316;'.repeat(30)}</i>`)).toMatchObject({ description: `<i>x${'\u0316'.repeat(30)}</i>`, errors: {} });
  });

  it('gets no other tag from a combining mark behind it', async () => {
    const { description = '', errors } = await described('<p>&#x338; onmouseover="alert(1)">x</p>');
    expect(description.normalize('NFC')).not.toMatch(/\u226f[^<]*onmouseover/);
    expect(description.normalize('NFC') === description || Object.keys(errors).length > 0).toBe(true);
  });

  it('is limited to the length of a description', async () => {
    expect((await described(`<i>${'&'.repeat(50_000)}</i>`)).errors).toEqual({
      description: ['Ensure this field has no more than 100000 characters.'],
    });
  });

  it('is stored unchanged when it is sent again', async () => {
    const pieces = [
      '<p>',
      '</p>',
      '<b',
      '>',
      '<',
      '&#x338;',
      '&#x301;',
      '\u0338',
      'e',
      '&gt;',
      '&lt;',
      ' title="',
      '"',
      '=',
      '&#x344;',
      '<a href=x>',
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), async (parts) => {
        const first = await described(parts.join('').normalize('NFC'));
        if (Object.keys(first.errors).length > 0) return;
        expect(first.description?.normalize('NFC')).toBe(first.description);
        expect(await described(first.description)).toEqual({ description: first.description, changed: false, errors: {} });
      }),
      { numRuns: 2_000 },
    );
  });
});
