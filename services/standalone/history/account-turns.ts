import { setImmediate as nextTurn } from 'node:timers/promises';

/** Answers a question of an account. */
export type AccountTurns = <Value>(account: string, answer: () => Promise<Value>) => Promise<Value>;

/** Answers the questions of an account one after the other, so that an account that asks many at once does not keep the others waiting for all of
 * them. An answer may take its whole turn of the event loop. So each begins in a turn of its own: what others ask arrives before the next one. */
export const createAccountTurns = (): AccountTurns => {
  const last = new Map<string, Promise<unknown>>();
  return async (account, answer) => {
    const turn = (last.get(account) ?? Promise.resolve()).then(() => nextTurn()).then(answer);
    const ended = turn.catch(() => undefined);
    last.set(account, ended);
    await ended;
    if (last.get(account) === ended) last.delete(account);
    return turn;
  };
};
