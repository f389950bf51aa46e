/** Bytes of UTF-8 that the stored texts of one page have at most; a single text may be longer. */
export const pageBytesMax = 2 * 1024 * 1024;
/** Texts that are read together: a page reads nothing beyond those among which it becomes full. The default page is one of these reads. */
export const pageTextsTogether = 64;

/** Counts a page's texts, in the order of its walk. False for the first text that the page has no room for: the page ends before it. A
 * first text always fits. */
export const createPageSize = (): ((text: string) => boolean) => {
  let bytes = 0;
  return (text) => {
    const own = Buffer.byteLength(text);
    if (bytes > 0 && bytes + own > pageBytesMax) return false;
    bytes += own;
    return true;
  };
};
