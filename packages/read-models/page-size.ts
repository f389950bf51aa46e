/** Bytes of UTF-8 that the stored texts of one page have at most; a single text may be longer. */
export const pageBytesMax = 2 * 1024 * 1024;
/** Texts that a page reads first: those of the default page, and what tells whether there are more. */
export const pageTextsFirst = 23;
/** Texts that are read together after that, as many as seem to fit: a page reads nothing beyond those among which it becomes full. */
export const pageTextsTogether = 64;
/** Pages of more characters are read one a turn of the event loop. */
export const largePageCharacters = 256 * 1024;

/** Counts a page's texts, in the order of its walk. */
export type PageSize = {
  /** False for the first text that the page has no room for: the page ends before it. A first text always fits. */
  readonly fits: (text: string) => boolean;
  /** How many texts to read next. */
  readonly together: () => number;
};

export const createPageSize = (): PageSize => {
  let bytes = 0;
  let texts = 0;
  return {
    fits: (text) => {
      const own = Buffer.byteLength(text);
      if (texts > 0 && bytes + own > pageBytesMax) return false;
      bytes += own;
      texts += 1;
      return true;
    },
    together: () => (texts === 0 ? pageTextsFirst : Math.min(pageTextsTogether, Math.ceil(((pageBytesMax - bytes) * texts) / bytes) + 1)),
  };
};
