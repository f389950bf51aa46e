import { firstAnswer } from './health-check.ts';

const away = async (): Promise<never> => {
  throw new Error('It is away.');
};

describe('the first answer of an engine', () => {
  it('is waited for', async () => {
    let asked = 0;
    const ask = async (): Promise<void> => {
      asked += 1;
      if (asked < 3) await away();
    };
    await firstAnswer(ask, new AbortController().signal);
    expect(asked).toBe(3);
  });

  it('is waited for no longer than a while', async () => {
    await firstAnswer(away, new AbortController().signal, 10);
  });

  it('is not waited for by a process that is told to stop', async () => {
    const stopping = new AbortController();
    await firstAnswer(async () => {
      stopping.abort();
      await away();
    }, stopping.signal);
  });
});
