import type { Piece } from './marked-text.ts';
import type { Numbering } from './numbering.ts';

/** Letters of scripts that put no space between words: each is a word. */
const unspaced = ['Han', 'Hira', 'Kana', 'Thai', 'Laoo', 'Khmr', 'Mymr'].map((script) => `\\p{scx=${script}}`).join('');
/** The joiners stand within words of Persian and of Indic scripts. */
const letter = `[[\\p{L}\\p{N}\\p{M}\\u200c\\u200d]--[${unspaced}]]`;

/** Matches every character of a text in some word. Intl.Segmenter would divide a text differently after an update of its dictionaries. */
const word = new RegExp(
  [
    '\\s+',
    `${letter}+(?:(?:['’]|(?<=\\p{Nd})[.,:](?=\\p{Nd}))${letter}+)*`,
    `[${unspaced}]\\p{M}*`,
    // Flags, other emoji, and punctuation.
    '\\p{RI}{2}',
    '.(?:[\\p{M}\\p{EMod}]|\\u200d\\p{ExtPict})*',
  ].join('|'),
  'gsv',
);

export type Word = { readonly text: string; readonly markup: number };

/** Divides a text into words, white space and punctuation marks, which together are the text. A word may consist of several pieces. Its markup
 * then is that of its pieces, with their positions. */
export const wordsOf = (pieces: readonly Piece[], numbering: Numbering): readonly Word[] => {
  const markupOf = createMarkupReader(pieces, numbering);
  const text = pieces.map((piece) => piece.text).join('');
  return (text.match(word) ?? []).map((found) => ({ text: found, markup: markupOf(found.length) }));
};

/** Returns a function that gives the markup of the next characters of the text. */
const createMarkupReader = (pieces: readonly Piece[], numbering: Numbering): ((length: number) => number) => {
  let index = 0;
  /** How many characters of the current piece have been read. */
  let read = 0;
  /** Reads from the current piece, and returns how many characters it read. */
  const readPiece = (piece: Piece, most: number): number => {
    const taken = Math.min(most, piece.text.length - read);
    read += taken;
    if (read === piece.text.length) [index, read] = [index + 1, 0];
    return taken;
  };
  const readParts = (piece: Piece, first: number, length: number): number => {
    let key = `parts ${first} ${piece.markup}`;
    let left = length - first;
    for (let next = pieces[index]; next !== undefined && left > 0; next = pieces[index]) {
      const taken = readPiece(next, left);
      key += ` ${taken} ${next.markup}`;
      left -= taken;
    }
    return numbering(key);
  };
  return (length) => {
    const piece = pieces[index];
    if (piece === undefined) return 0;
    const taken = readPiece(piece, length);
    return taken === length ? piece.markup : readParts(piece, taken, length);
  };
};
