/** What a JSON text holds, told by its punctuation outside strings, before anything is made of it. */
export type JsonSize = {
  /** Values at most: one for each comma, opening bracket and opening brace. */
  readonly values: number;
  readonly depth: number;
};

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [bracket, bracketEnd, brace, braceEnd] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts in one pass; a text that is no JSON is counted somehow, its parser says so. */
export const jsonSize = (text: Uint8Array): JsonSize => {
  let values = 0;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === quote) at = stringEnd(text, at);
    else if (byte === comma) values += 1;
    else if (byte === brace || byte === bracket) {
      values += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === braceEnd || byte === bracketEnd) depth -= 1;
  }
  return { values, depth: deepest };
};

/** Where the string ends that begins there. */
const stringEnd = (text: Uint8Array, from: number): number => {
  let at = from + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at;
};
