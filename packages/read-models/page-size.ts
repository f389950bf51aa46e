/** The maximum total of UTF-8 bytes in the stored texts of one page. A single text may be longer. */
export const pageBytesMax = 2 * 1024 * 1024;
/** Texts that a page reads first: those of the default page, and the ones that show whether there are more. */
export const pageTextsFirst = 23;
/** The maximum number of texts that are read together after that, as many as are expected to fit. A page reads nothing beyond the group in
 * which it becomes full. */
export const pageTextsTogether = 64;
/** Pages with at least this many characters are read one per turn of the event loop. */
export const largePageCharacters = 256 * 1024;

/** Measures the texts of a page, in the direction of its walk. */
export type PageSize = {
  /** Returns false for the first text that does not fit: the page ends before it. The first text of a page always fits. */
  readonly fits: (text: string) => boolean;
  /** Returns how many texts to read next. */
  readonly together: () => number;
};

export const createPageSize = (bytesMax = pageBytesMax): PageSize => {
  let bytes = 0;
  let texts = 0;
  return {
    fits: (text) => {
      const own = Buffer.byteLength(text);
      if (texts > 0 && bytes + own > bytesMax) return false;
      bytes += own;
      texts += 1;
      return true;
    },
    together: () => (texts === 0 ? pageTextsFirst : Math.min(pageTextsTogether, Math.ceil(((bytesMax - bytes) * texts) / bytes) + 1)),
  };
};
