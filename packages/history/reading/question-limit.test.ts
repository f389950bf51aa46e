import { HistoryUnavailable } from '../history.ts';
import { createQuestionLimit } from './question-limit.ts';

describe('the limit of questions', () => {
  it('refuses an account that has too many in progress, and no other account', async () => {
    const limited = createQuestionLimit({ questionsMax: 10, accountQuestionsMax: 2 });
    const { promise, resolve } = Promise.withResolvers<string>();
    const asked = [limited('account-a', () => promise), limited('account-a', () => promise)];
    await expect(limited('account-a', () => promise)).rejects.toThrow(HistoryUnavailable);
    expect(await limited('account-b', async () => 'answer')).toBe('answer');
    resolve('late');
    expect(await Promise.all(asked)).toEqual(['late', 'late']);
    expect(await limited('account-a', async () => 'answer')).toBe('answer');
  });

  it('refuses every account once too many are in progress, failed ones not counted', async () => {
    const limited = createQuestionLimit({ questionsMax: 2, accountQuestionsMax: 2 });
    const failed = limited('account-a', async () => {
      throw new Error('failed');
    });
    await expect(failed).rejects.toThrow('failed');
    const { promise, resolve } = Promise.withResolvers<string>();
    const asked = ['account-a', 'account-b'].map((account) => limited(account, () => promise));
    await expect(limited('account-c', () => promise)).rejects.toThrow(HistoryUnavailable);
    resolve('late');
    await Promise.all(asked);
  });
});
