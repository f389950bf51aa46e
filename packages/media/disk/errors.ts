import { MediaUnavailable } from '../media.ts';

/** Returns the system error code, such as `ENOENT`; undefined if the error does not come from the system. */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && 'syscall' in error ? String(error.code) : undefined;

/** Turns every error of the file system (full, broken, read-only, out of handles) into `MediaUnavailable`: the caller can only try again
 * later.
 * @throws MediaUnavailable */
export const orUnavailable = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw new MediaUnavailable(`The media directory cannot be used: ${codeOf(error)}.`, { cause: error });
  }
};

/** Returns undefined if the file does not exist. */
export const orMissing = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};
