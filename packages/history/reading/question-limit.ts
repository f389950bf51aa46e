import { HistoryUnavailable } from '../history.ts';

export type QuestionLimits = {
  /** Questions in progress at once. */
  readonly questionsMax: number;
  /** Those of one account. */
  readonly accountQuestionsMax: number;
};

/** Asks a question of an account.
 * @throws HistoryUnavailable if too many are in progress; otherwise what `ask` throws */
export type QuestionLimit = <Value>(account: string, ask: () => Promise<Value>) => Promise<Value>;

/** Limits the questions in progress, so that one account does not keep the others from asking. */
export const createQuestionLimit = ({ questionsMax, accountQuestionsMax }: QuestionLimits): QuestionLimit => {
  const questions = new Map<string, number>();
  let total = 0;
  const count = (account: string, change: 1 | -1): void => {
    total += change;
    const ofAccount = (questions.get(account) ?? 0) + change;
    if (ofAccount === 0) questions.delete(account);
    else questions.set(account, ofAccount);
  };
  return async (account, ask) => {
    if (total >= questionsMax || (questions.get(account) ?? 0) >= accountQuestionsMax) {
      throw new HistoryUnavailable('Too many questions about the history are in progress.');
    }
    count(account, 1);
    try {
      return await ask();
    } finally {
      count(account, -1);
    }
  };
};
