/** Runs one piece of work after the other, in the order of the calls. Returns the result of the work. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

export const createTurns = (): Turns => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
};
