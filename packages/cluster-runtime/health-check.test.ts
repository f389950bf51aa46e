import { firstAnswer } from './health-check.ts';

const away = async (): Promise<never> => {
  throw new Error('The engine is unavailable.');
};

describe('the first response of an engine', () => {
  it('is awaited', async () => {
    let asked = 0;
    const ask = async (): Promise<void> => {
      asked += 1;
      if (asked < 3) await away();
    };
    await firstAnswer(ask, new AbortController().signal);
    expect(asked).toBe(3);
  });

  it('is awaited for a limited time', async () => {
    await firstAnswer(away, new AbortController().signal, 10);
  });

  it('is not awaited by a process that has to stop', async () => {
    const stopping = new AbortController();
    await firstAnswer(async () => {
      stopping.abort();
      await away();
    }, stopping.signal);
  });
});
