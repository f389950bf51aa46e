import { firstAnswer } from './health-check.ts';

const unavailable = async (): Promise<never> => {
  throw new Error('The engine is unavailable.');
};

describe('the first response of an engine', () => {
  it('is awaited', async () => {
    let asked = 0;
    const ask = async (): Promise<void> => {
      asked += 1;
      if (asked < 3) await unavailable();
    };
    await firstAnswer(ask, new AbortController().signal);
    expect(asked).toBe(3);
  });

  it('is awaited for a limited time', async () => {
    await firstAnswer(unavailable, new AbortController().signal, 10);
  });

  it('is not awaited by a process that has to stop', async () => {
    const stopping = new AbortController();
    await firstAnswer(async () => {
      stopping.abort();
      await unavailable();
    }, stopping.signal);
  });
});
