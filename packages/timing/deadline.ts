/** Waits for a result up to a time limit. A later result is ignored.
 * @param late called when the time is over: what it returns or throws is the result then
 * @throws the errors of the work, and those of `late` */
export const withDeadline = <Result, Late = never>(ms: number, work: Promise<Result>, late: () => Late): Promise<Result | Late> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(resolve, reject, late), ms);
    work.finally(() => clearTimeout(timer)).then(resolve, reject);
  });

/** Waits for a result until a signal aborts. A later result is ignored.
 * @param aborted called when the signal aborts: what it returns or throws is the result then
 * @throws the errors of the work, and those of `aborted` */
export const unlessAborted = <Result, Aborted = never>(
  signal: AbortSignal,
  work: Promise<Result>,
  aborted: () => Aborted,
): Promise<Result | Aborted> =>
  new Promise((resolve, reject) => {
    const stop = (): void => settle(resolve, reject, aborted);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.finally(() => signal.removeEventListener('abort', stop)).then(resolve, reject);
  });

const settle = <Value>(resolve: (value: Value) => void, reject: (error: unknown) => void, outcome: () => Value): void => {
  try {
    resolve(outcome());
  } catch (error) {
    reject(error);
  }
};
