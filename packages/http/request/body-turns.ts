import { largeBodyBytes } from '../limits.ts';

/** Returns a function that says when a body may be parsed: a small body at once, large bodies one per turn of the event loop, in order of
 * arrival. Between two large bodies, the process does its other work, however many bodies wait. Waiting bodies hold their bytes of a
 * budget, which limits their number. */
export const createBodyTurns = (): ((bytes: number) => Promise<void> | undefined) => {
  const waiting: (() => void)[] = [];
  let isTurnTaken = false;

  const nextTurn = (): void => {
    const begin = waiting.shift();
    isTurnTaken = begin !== undefined;
    if (begin === undefined) return;
    setImmediate(nextTurn);
    begin();
  };

  return (bytes) => {
    if (bytes < largeBodyBytes) return undefined;
    if (isTurnTaken) return new Promise((resolve) => waiting.push(resolve));
    isTurnTaken = true;
    setImmediate(nextTurn);
    return undefined;
  };
};
