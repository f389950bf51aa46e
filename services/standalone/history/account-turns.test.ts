import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { createAccountTurns } from './account-turns.ts';

const questionsOfAccount = 8;

describe('the questions of accounts', () => {
  it('of an account that has asked many at once leave another account waiting for two of them at most', async () => {
    const inTurn = createAccountTurns();
    const { port1, port2 } = new MessageChannel();
    const answered: string[] = [];
    const answer = (account: string) => async () => {
      // A client asks while the first question is answered.
      if (answered.length === 0) port1.postMessage('account-b');
      answered.push(account);
      if (answered.length > questionsOfAccount) port1.close();
    };
    port2.on('message', (account: string) => void inTurn(account, answer(account)));
    for (let asked = 0; asked < questionsOfAccount; asked += 1) port1.postMessage('account-a');
    await once(port2, 'close');
    expect(answered.filter((account) => account === 'account-a')).toHaveLength(questionsOfAccount);
    expect(answered.indexOf('account-b')).toBeLessThanOrEqual(2);
  });

  it('continue after a question that fails', async () => {
    const inTurn = createAccountTurns();
    const failed = inTurn('account-a', async () => {
      await nextTurn();
      throw new Error('failed');
    });
    const next = inTurn('account-a', async () => 'answer');
    await expect(failed).rejects.toThrow('failed');
    expect(await next).toBe('answer');
  });
});
