/** Returns whether a file could not be written because the disk, or a quota, is full. */
export const isNoRoom = (error: unknown): boolean => {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return codes.has(String(code)) || (cause !== undefined && isNoRoom(cause));
};

const codes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE', 'SQLITE_IOERR_SHMOPEN']);
