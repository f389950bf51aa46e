/** Returns whether a file of SQLite is none, or has pages that cannot be read: only another file can take its place. */
export const isDamaged = (error: unknown): boolean => {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return /^SQLITE_(CORRUPT|NOTADB)/.test(String(code)) || (cause !== undefined && isDamaged(cause));
};
