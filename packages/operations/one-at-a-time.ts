import { conflict } from '@waymark/http/errors.ts';

export type OneAtATime = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Runs conflicting operations one at a time. A request while one is running is refused.
 * @throws HttpError 409 */
export const createOneAtATime = (): OneAtATime => {
  let running = false;
  return async (work) => {
    if (running) throw conflict('Another operation is running.');
    running = true;
    try {
      return await work();
    } finally {
      running = false;
    }
  };
};
