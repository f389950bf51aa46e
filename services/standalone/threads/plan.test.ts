import { automaticThreads, memoryPlan, possibleThreads } from './plan.ts';

const mebibyte = 1_024 * 1_024;

describe('the number of threads', () => {
  it.each([
    [1, 0],
    [2, 0],
    [3, 1],
    [6, 4],
    [64, 4],
  ])('that auto means on %d cores is %d', (cores, threads) => expect(automaticThreads(cores)).toBe(threads));
});

describe('the threads that are started', () => {
  const settings = { WAYMARK_HTTP_THREADS: '3', WAYMARK_HOST: '127.0.0.1' };

  it('are those of the settings', async () => {
    const warn = jest.fn();
    expect(await possibleThreads(settings, { warn }, async () => true)).toBe(3);
    expect(warn).not.toHaveBeenCalled();
  });

  it('are none where threads cannot share a port, and the log says so', async () => {
    const warn = jest.fn();
    expect(await possibleThreads(settings, { warn }, async () => false)).toBe(0);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

describe('the memory of a process', () => {
  it('is all for the main thread if there is no other', () => {
    expect(memoryPlan(512 * mebibyte, 0)).toMatchObject({ processBytes: 512 * mebibyte, threadBytes: 512 * mebibyte });
  });

  it('is what the threads leave, and caches share that', () => {
    expect(memoryPlan(1_024 * mebibyte, 3)).toMatchObject({ processBytes: 640 * mebibyte, threadBytes: 160 * mebibyte });
  });

  it('is a quarter at least, however many threads there are', () => {
    expect(memoryPlan(512 * mebibyte, 16).processBytes).toBe(128 * mebibyte);
  });
});
