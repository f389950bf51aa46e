/** Limits of a JSON text. */
export type JsonBounds = {
  /** Maximum number of values within the body's own object or array, at any depth. An empty object or array is one value. */
  readonly valuesMax: number;
  readonly depthMax: number;
};

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [space, tab, lineFeed, carriageReturn] = [0x20, 0x09, 0x0a, 0x0d];
const [bracket, bracketEnd, brace, braceEnd] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns the bound that a text exceeds, if any. It scans the punctuation outside strings in one pass, before the text is parsed: each comma
 * begins a value, and so does each opening bracket or brace that is not closed at once. The parser refuses what is not JSON. */
export const exceededBound = (text: Uint8Array, { valuesMax, depthMax }: JsonBounds): keyof JsonBounds | undefined => {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === quote) at = stringEnd(text, at);
    else if (byte === bracketEnd || byte === braceEnd) depth -= 1;
    else if (byte === comma) values += 1;
    else if (byte === bracket || byte === brace) {
      depth += 1;
      if (depth > depthMax) return 'depthMax';
      at = lastBlank(text, at);
      if (text[at + 1] !== bracketEnd && text[at + 1] !== braceEnd) values += 1;
    }
    if (values > valuesMax) return 'valuesMax';
  }
  return undefined;
};

/** Returns the index at which the string that begins at `from` ends. */
const stringEnd = (text: Uint8Array, from: number): number => {
  let at = from + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at;
};

/** Returns the index of the last of the blanks after `from`, or `from` if there are none. */
const lastBlank = (text: Uint8Array, from: number): number => {
  let at = from;
  while (isBlank(text[at + 1])) at += 1;
  return at;
};

const isBlank = (byte: number | undefined): boolean => byte === space || byte === lineFeed || byte === tab || byte === carriageReturn;
