import { conflict } from '@waymark/http/errors.ts';

export type OneAtATime = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Operations that would be in each other's way: who comes while one runs is told so. @throws HttpError 409 */
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
