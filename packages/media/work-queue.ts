import { MediaUnavailable } from './media.ts';

/** Runs a piece of work when it is its turn, within its time limit.
 * @throws MediaUnavailable if too many wait already, or if the time is over */
export type WorkQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

export type TurnLimits = { readonly runningMax: number; readonly waitingMax: number; readonly timeoutMs: number };

/** Runs up to `runningMax` pieces of work at once; up to `waitingMax` more wait for one of them to end. Work that timed out keeps its turn
 * until it really ends, because its thread cannot be interrupted. */
export const createWorkQueue = ({ runningMax, waitingMax, timeoutMs }: TurnLimits): WorkQueue => {
  const waiting: (() => void)[] = [];
  let running = 0;

  const runInTurn = async () => {
    if (running < runningMax) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const handOn = () => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };

  return async (work) => {
    if (running >= runningMax && waiting.length >= waitingMax) throw new MediaUnavailable('Too many pieces of work are waiting already.');
    return waitAtMost(timeoutMs, async (isOver) => {
      await runInTurn();
      try {
        if (isOver()) throw outOfTime(timeoutMs);
        return await work();
      } finally {
        handOn();
      }
    });
  };
};

const waitAtMost = <Result>(timeoutMs: number, work: (isOver: () => boolean) => Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    let over = false;
    const timer = setTimeout(() => {
      over = true;
      reject(outOfTime(timeoutMs));
    }, timeoutMs);
    work(() => over)
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });

const outOfTime = (timeoutMs: number) => new MediaUnavailable(`The work did not end within ${timeoutMs} ms.`);
