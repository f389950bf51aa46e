import { MediaUnavailable } from '../media.ts';

/** `ENOENT` and its like; undefined for what does not come from the system. */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && 'syscall' in error ? String(error.code) : undefined;

/** Whatever the file system refuses (full, broken, read-only, out of handles), a caller can only try again later. @throws MediaUnavailable */
export const orUnavailable = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw new MediaUnavailable(`The media directory cannot be used: ${codeOf(error)}.`, { cause: error });
  }
};

/** Undefined where there is no such file. */
export const orMissing = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};
