import { unavailable } from '@waymark/http/errors.ts';
import { turnMs, waitersPerStreamMax } from '../limits.ts';

/** Runs work on the same stream one after the other, and work on different streams concurrently.
 * @throws HttpError 503 if too many wait, or if the turn does not come in time; the work was not started then */
export type StreamTurns = <Result>(stream: string, work: () => Promise<Result>) => Promise<Result>;

export const createStreamTurns = (withinMs = turnMs): StreamTurns => {
  const lines = new Map<string, { last: Promise<void>; waiting: number }>();
  return async <Result>(stream: string, work: () => Promise<Result>): Promise<Result> => {
    const line = lines.get(stream) ?? { last: Promise.resolve(), waiting: 0 };
    if (line.waiting >= waitersPerStreamMax) throw tooMany();
    lines.set(stream, line);
    line.waiting += 1;
    const mine = Promise.withResolvers<Result>();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      mine.reject(tooMany());
    }, withinMs);
    line.last = line.last.then(() => {
      clearTimeout(timer);
      return isLate ? undefined : work().then(mine.resolve, mine.reject);
    });
    try {
      return await mine.promise;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) lines.delete(stream);
    }
  };
};

const tooMany = () => unavailable('Too many changes of this object at once.');
