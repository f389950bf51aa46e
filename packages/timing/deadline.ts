/** A time limit that is running. */
export type Countdown = { readonly stop: () => void; readonly restart: () => void };

/** Calls `end` once the time is over, unless it is stopped before. A process that was paused, or got no processor, runs its timers before it
 * reads what has arrived meanwhile. Therefore the time is counted in two halves: after such a pause there is always half of it to read in. */
export const startCountdown = (ms: number, end: () => void): Countdown => {
  let isLast = false;
  const timer = setInterval(() => {
    if (isLast) {
      clearInterval(timer);
      end();
    }
    isLast = true;
  }, ms / 2);
  return {
    stop: () => clearInterval(timer),
    restart: () => {
      isLast = false;
      timer.refresh();
    },
  };
};

/** Waits for a result up to a time limit, as `startCountdown` counts it. A later result is ignored.
 * @param late called when the time is over: what it returns or throws is the result then
 * @throws the errors of the work, and those of `late` */
export const withDeadline = <Result, Late = never>(ms: number, work: Promise<Result>, late: () => Late): Promise<Result | Late> =>
  new Promise((resolve, reject) => {
    const countdown = startCountdown(ms, () => settle(resolve, reject, late));
    work.finally(countdown.stop).then(resolve, reject);
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
