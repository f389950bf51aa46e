import { largeBodyBytes } from '../limits.ts';

/** Resolves when a body may be parsed: a small one at once, of the large ones one in each turn of the event loop, in the order in which they came. However
 * many there are, the process does between two of them what else it has to do. Those that wait hold their bytes of a budget: that is their limit. */
export const createBodyTurns = (): ((bytes: number) => Promise<void> | undefined) => {
  const waiting: (() => void)[] = [];
  let taken = false;

  const nextTurn = (): void => {
    const begin = waiting.shift();
    taken = begin !== undefined;
    if (begin === undefined) return;
    setImmediate(nextTurn);
    begin();
  };

  return (bytes) => {
    if (bytes < largeBodyBytes) return undefined;
    if (taken) return new Promise((resolve) => waiting.push(resolve));
    taken = true;
    setImmediate(nextTurn);
    return undefined;
  };
};
