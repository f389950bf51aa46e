/** Limits of a JSON text. */
export type JsonBounds = {
  /** Maximum number of values. Each comma, opening bracket and opening brace outside strings counts as one. */
  readonly valuesMax: number;
  readonly depthMax: number;
};

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [bracket, bracketEnd, brace, braceEnd] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns the bound that a text exceeds, if any. It scans the punctuation in one pass, before the text is parsed. The parser refuses what
 * is not JSON. */
export const exceededBound = (text: Uint8Array, { valuesMax, depthMax }: JsonBounds): keyof JsonBounds | undefined => {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === quote) at = stringEnd(text, at);
    else if (byte === bracketEnd || byte === braceEnd) depth -= 1;
    else if (byte === comma || byte === bracket || byte === brace) {
      values += 1;
      if (byte !== comma) depth += 1;
      if (depth > depthMax) return 'depthMax';
      if (values > valuesMax) return 'valuesMax';
    }
  }
  return undefined;
};

/** Returns the index at which the string that begins at `from` ends. */
const stringEnd = (text: Uint8Array, from: number): number => {
  let at = from + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at;
};
