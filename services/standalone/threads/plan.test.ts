import { automaticThreads, fittingThreads, memoryPlan, possibleThreads } from './plan.ts';

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
  const settings = { WAYMARK_HTTP_THREADS: '3', WAYMARK_HOST: '127.0.0.1', WAYMARK_MEMORY_MB: 1_024 };

  it('are those of the settings', async () => {
    const warn = jest.fn();
    expect(await possibleThreads(settings, { warn }, async () => true)).toBe(3);
    expect(warn).not.toHaveBeenCalled();
  });

  it('are those that fit into the memory, and the log says so', async () => {
    const warn = jest.fn();
    expect(await possibleThreads({ ...settings, WAYMARK_MEMORY_MB: 512 }, { warn }, async () => true)).toBe(2);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it.each([
    [64, 0],
    [256, 1],
    [512, 2],
    [640, 3],
  ])('in %d MiB are at most %d', (memory, threads) => expect(fittingThreads(memory * mebibyte)).toBe(threads));

  it('are none where threads cannot share a port, and the log says so', async () => {
    const warn = jest.fn();
    expect(await possibleThreads(settings, { warn }, async () => false)).toBe(0);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

describe('the memory of a process', () => {
  it('is all for the main thread if there is no other, except what the history needs', () => {
    expect(memoryPlan(512 * mebibyte, 0)).toMatchObject({ processBytes: 464 * mebibyte, threadBytes: 464 * mebibyte });
  });

  it('is what the threads leave, and caches share that', () => {
    expect(memoryPlan(1_024 * mebibyte, 3)).toMatchObject({ processBytes: 592 * mebibyte, threadBytes: 148 * mebibyte });
  });

  it('is a quarter at least, however many threads there are', () => {
    expect(memoryPlan(512 * mebibyte, 16).processBytes).toBe(128 * mebibyte);
  });
});
