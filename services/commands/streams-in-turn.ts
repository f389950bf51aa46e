import { unavailable } from '@waymark/http/problems.ts';
import { waitersPerStreamMax } from './limits.ts';

/** Runs what concerns one stream one after the other, what concerns different streams side by side.
 * @throws Problem 503 when too many wait */
export type InTurn = <Result>(stream: string, work: () => Promise<Result>) => Promise<Result>;

export const inTurn = (): InTurn => {
  const lines = new Map<string, { last: Promise<unknown>; waiting: number }>();
  return async (stream, work) => {
    const line = lines.get(stream) ?? { last: Promise.resolve(), waiting: 0 };
    if (line.waiting >= waitersPerStreamMax) throw unavailable('Too many changes of this object at once.');
    lines.set(stream, line);
    line.waiting += 1;
    const mine = line.last.then(work, work);
    line.last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) lines.delete(stream);
    }
  };
};
