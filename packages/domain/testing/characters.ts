import fc from 'fast-check';

const codePointMax = 0x10ffff;
/** Surrogates are halves of pairs, not characters. */
const surrogates = { from: 0xd800, count: 0x800 };

/** Generates any character of Unicode, as the `unit` of texts. fast-check's own `binary` first lists all characters, which takes a second
 * of processor time. */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: codePointMax - surrogates.count }).map(
  (nth) => String.fromCodePoint(nth < surrogates.from ? nth : nth + surrogates.count),
  (character) => {
    const codePoint = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (codePoint === undefined || String.fromCodePoint(codePoint) !== character) throw new Error('This is not a character.');
    return codePoint < surrogates.from ? codePoint : codePoint - surrogates.count;
  },
);
