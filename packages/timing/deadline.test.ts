import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { startCountdown, unlessAborted, withDeadline } from './deadline.ts';
import { pauseProcess } from './testing/pause-process.ts';

const late = (): never => {
  throw new Error('late');
};
const never = () => new Promise<never>(() => undefined);

describe('a deadline', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('passes on a result that arrives in time, and leaves no timer', async () => {
    expect(await withDeadline(10, Promise.resolve(1), late)).toBe(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('passes on an error that arrives in time, and leaves no timer', async () => {
    await expect(withDeadline(10, Promise.reject(new Error('failed')), late)).rejects.toThrow('failed');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives the result of `late` once the time is over, and not before', async () => {
    const results: unknown[] = [];
    void withDeadline(10, never(), () => 'late').then((result) => results.push(result));
    await jest.advanceTimersByTimeAsync(9);
    expect(results).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(results).toEqual(['late']);
  });

  it('fails with the error of `late`, and ignores an error that arrives later', async () => {
    const work = Promise.withResolvers<never>();
    const failure = withDeadline(10, work.promise, late).catch((error: Error) => error.message);
    await jest.advanceTimersByTimeAsync(10);
    expect(await failure).toBe('late');
    work.reject(new Error('failed'));
    await jest.advanceTimersByTimeAsync(0);
  });
});

describe('a countdown', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('begins again when it is restarted, ends once, and leaves no timer', () => {
    let ends = 0;
    const countdown = startCountdown(10, () => {
      ends += 1;
    });
    jest.advanceTimersByTime(9);
    countdown.restart();
    jest.advanceTimersByTime(9);
    expect(ends).toBe(0);
    jest.advanceTimersByTime(100);
    expect([ends, jest.getTimerCount()]).toEqual([1, 0]);
  });
});

describe('a process that was paused until a deadline was over', () => {
  it('still reads a result that has arrived meanwhile', async () => {
    const { port1, port2 } = new MessageChannel();
    const read = async () => {
      const message = await once(port1, 'message');
      await nextTurn();
      return message;
    };
    const result = withDeadline(400, read(), late).finally(() => port1.close());
    port2.postMessage('an answer');
    await pauseProcess(500);
    expect(await result).toEqual(['an answer']);
  });
});

describe('a signal', () => {
  it('does not matter to a result that arrives before it aborts', async () => {
    const controller = new AbortController();
    expect(await unlessAborted(controller.signal, Promise.resolve(1), late)).toBe(1);
    await expect(unlessAborted(controller.signal, Promise.reject(new Error('failed')), late)).rejects.toThrow('failed');
    controller.abort();
  });

  it('ends the wait when it aborts', async () => {
    const controller = new AbortController();
    const [ended, failed] = [
      unlessAborted(controller.signal, never(), () => 'over'),
      unlessAborted(controller.signal, never(), late).catch((error: Error) => error.message),
    ];
    controller.abort();
    expect(await Promise.all([ended, failed])).toEqual(['over', 'late']);
  });

  it('ends the wait at once if it has aborted already', async () => {
    expect(await unlessAborted(AbortSignal.abort(), never(), () => 'over')).toBe('over');
  });
});
