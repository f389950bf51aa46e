/** Combining marks that may follow each other: real texts have six or fewer, and to order a run of them takes the square of its length. */
const marksMax = 30;
/** No character decomposes into more than four. */
const decomposedMax = 4;

/** What keeps a text from being stored. */
export type TextFault = 'malformed' | 'marks' | 'long';

export type TextRule = {
  readonly trimmed: boolean;
  /** In code points of the text as it is stored. */
  readonly charactersMax: number;
};

/** A text as it is stored: trimmed where that is asked for, in NFC. Each step takes linear time: how long the text is, and how many marks follow
 * each other, is known before it is normalised. */
export const storedText = (
  value: string,
  { trimmed, charactersMax }: TextRule,
): { readonly text: string } | { readonly fault: TextFault } => {
  if (!value.isWellFormed() || value.includes('\0')) return { fault: 'malformed' };
  const sent = trimmed ? value.trim() : value;
  if (isLonger(sent, charactersMax * decomposedMax)) return { fault: 'long' };
  if (!combinable.test(sent)) return limited(sent, charactersMax);
  if (tooManyMarks.test(sent)) return { fault: 'marks' };
  const text = sent.normalize('NFC');
  // A mark may decompose into two that are not put together again.
  if (text !== sent && tooManyMarks.test(text)) return { fault: 'marks' };
  return limited(text, charactersMax);
};

const limited = (text: string, charactersMax: number): ReturnType<typeof storedText> =>
  isLonger(text, charactersMax) ? { fault: 'long' } : { text };

/** A text of characters below U+0300 is in NFC as it is, and has no combining mark. */
const combinable = /[\u0300-\uffff]/;

/** Looked for where a run begins, and nowhere within it. */
const tooManyMarks = new RegExp(`(?<!\\p{M})\\p{M}{${marksMax + 1}}`, 'u');

/** In code points, counted only where code units leave it open. */
const isLonger = (text: string, charactersMax: number): boolean => {
  if (text.length <= charactersMax) return false;
  if (text.length > 2 * charactersMax) return true;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters > charactersMax;
};

/** What is told of a fault. */
export const textFaultMessage = (fault: TextFault, charactersMax: number): string => {
  switch (fault) {
    case 'malformed':
      return 'Null characters and unpaired surrogates are not allowed.';
    case 'marks':
      return `More than ${marksMax} combining marks in a row are not allowed.`;
    case 'long':
      return `Ensure this field has no more than ${charactersMax} characters.`;
  }
};
