/** Maximum number of combining marks in a row. Real texts have six or fewer. Ordering a run of marks takes time quadratic in its length. */
const marksMax = 30;
/** Maximum number of characters that one character decomposes into. */
const decomposedMax = 4;

/** The reason why a text cannot be stored. */
export type TextFault = 'malformed' | 'marks' | 'long';

export type TextRule = {
  readonly trimmed: boolean;
  /** Maximum length of the text as it is stored, in code points. */
  readonly charactersMax: number;
};

/** Returns a text as it is stored: in NFC, and trimmed if the rule asks for it. Each step takes linear time, because the length of the text
 * and of its runs of marks is checked before it is normalised. */
export const storedText = (
  value: string,
  { trimmed, charactersMax }: TextRule,
): { readonly text: string } | { readonly fault: TextFault } => {
  if (!value.isWellFormed() || value.includes('\0')) return { fault: 'malformed' };
  const sent = trimmed ? value.trim() : value;
  if (isLonger(sent, charactersMax * decomposedMax)) return { fault: 'long' };
  if (!combinable.test(sent)) return checkLength(sent, charactersMax);
  if (tooManyMarks.test(sent)) return { fault: 'marks' };
  const text = sent.normalize('NFC');
  // A mark may decompose into two marks that are not composed again.
  if (text !== sent && tooManyMarks.test(text)) return { fault: 'marks' };
  return checkLength(text, charactersMax);
};

const checkLength = (text: string, charactersMax: number): ReturnType<typeof storedText> =>
  isLonger(text, charactersMax) ? { fault: 'long' } : { text };

/** Matches characters from U+0300 on. A text without them is already in NFC, and has no combining mark. */
const combinable = /[\u0300-\uffff]/;

/** Matches only at the start of a run of marks, never within it. */
const tooManyMarks = new RegExp(`(?<!\\p{M})\\p{M}{${marksMax + 1}}`, 'u');

/** Compares the length in code points. They are counted only if the number of code units does not decide. */
const isLonger = (text: string, charactersMax: number): boolean => {
  if (text.length <= charactersMax) return false;
  if (text.length > 2 * charactersMax) return true;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters > charactersMax;
};

/** Returns the message for a fault. */
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
