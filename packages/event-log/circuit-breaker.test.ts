import { createCircuitBreaker } from './circuit-breaker.ts';
import { type EventLog, LogUnavailable } from './event-log.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

const stream = 'application-a';

/** A log that answers, rejects or hangs, and counts the calls that it receives. */
const someLog = () => {
  const it = { mood: 'well' as 'well' | 'away' | 'still', asked: 0, held: [] as (() => void)[] };
  const answer = <Answer>(value: Answer) => {
    it.asked += 1;
    if (it.mood === 'well') return Promise.resolve(value);
    if (it.mood === 'away') return Promise.reject(new LogUnavailable('away'));
    return new Promise<Answer>((resolve) => it.held.push(() => resolve(value)));
  };
  const log: EventLog = {
    append: () => answer({ outcome: 'conflict' }),
    read: () => answer([]),
    lastRevisions: () => answer([7]),
    owners: () => answer(['mine']),
    subscribe: () => answer(undefined),
    eraseBefore: () => answer('overwritten'),
    state: () => answer({ incarnation: 'one', installation: 'one', head: 7 }),
  };
  const messages: string[] = [];
  const tell = (level: string) => (_: object, message: string) => void messages.push(`${level}: ${message}`);
  return {
    it,
    messages,
    log: createCircuitBreaker(log, { answerMs: 1_000, retryMs: 250, logger: { warn: tell('warn'), info: tell('info') } }),
  };
};

describe('an event log behind a circuit breaker', () => {
  it('passes on the results and the errors of the log', async () => {
    const { it: behind, log } = someLog();
    expect([await log.lastRevisions([stream]), await log.read(stream, 0), (await log.state()).head]).toEqual([[7], [], 7]);
    expect(await log.append(stream, [], 'none')).toEqual({ outcome: 'conflict' });
    expect(behind.asked).toBe(4);
    behind.mood = 'away';
    await expect(log.lastRevisions([stream])).rejects.toThrow(LogUnavailable);
  });

  it('waits for the first answer until the timeout, and rejects further reads at once', async () => {
    const { it: behind, log } = someLog();
    behind.mood = 'still';
    const first = Promise.allSettled([log.lastRevisions([stream])]);
    await jest.advanceTimersByTimeAsync(999);
    behind.held.length = 0;
    await jest.advanceTimersByTimeAsync(1);
    expect(await first).toEqual([{ status: 'rejected', reason: expect.any(LogUnavailable) }]);
    for (let time = 0; time < 100; time += 1) await expect(log.read(stream, 0)).rejects.toThrow(LogUnavailable);
    expect(behind.asked).toBe(1);
  });

  it('finds out with one call at a time that the log is available again', async () => {
    const { it: behind, log } = someLog();
    behind.mood = 'away';
    await expect(log.lastRevisions([stream])).rejects.toThrow(LogUnavailable);
    behind.mood = 'still';
    await jest.advanceTimersByTimeAsync(250);
    for (let time = 0; time < 10; time += 1) await expect(log.lastRevisions([stream])).rejects.toThrow(LogUnavailable);
    expect(behind.asked).toBe(2);
    await jest.advanceTimersByTimeAsync(1_250);
    behind.mood = 'well';
    await expect(log.lastRevisions([stream])).rejects.toThrow(LogUnavailable);
    await jest.advanceTimersByTimeAsync(0);
    expect(await log.lastRevisions([stream])).toEqual([7]);
  });

  it('logs one line when the circuit opens and one when it closes, however many calls there are', async () => {
    const { it: behind, messages, log } = someLog();
    await log.lastRevisions([stream]);
    expect(messages).toEqual([]);
    for (const round of [1, 2]) {
      behind.mood = 'away';
      await Promise.allSettled(Array.from({ length: 10 }, () => log.lastRevisions([stream])));
      await jest.advanceTimersByTimeAsync(250);
      await Promise.allSettled(Array.from({ length: 10 }, () => log.read(stream, 0)));
      expect(messages).toHaveLength(2 * round - 1);
      behind.mood = 'well';
      await jest.advanceTimersByTimeAsync(250);
      await Promise.allSettled(Array.from({ length: 10 }, () => log.lastRevisions([stream])));
      await jest.advanceTimersByTimeAsync(0);
      await Promise.all(Array.from({ length: 10 }, () => log.state()));
      expect(messages).toHaveLength(2 * round);
    }
    expect(messages.map((line) => line.split(':')[0])).toEqual(['warn', 'info', 'warn', 'info']);
  });

  it('always passes on appends and subscriptions', async () => {
    const { it: behind, log } = someLog();
    behind.mood = 'away';
    await expect(log.lastRevisions([stream])).rejects.toThrow(LogUnavailable);
    behind.mood = 'well';
    expect(await log.append(stream, [], 'none')).toEqual({ outcome: 'conflict' });
    await log.subscribe(0, async () => undefined, new AbortController().signal);
    expect(behind.asked).toBe(3);
  });

  it('does not open on a programming error', async () => {
    const { log } = someLog();
    const broken = createCircuitBreaker({ ...log, lastRevisions: () => Promise.reject(new RangeError('a mistake')) });
    await expect(broken.lastRevisions([stream])).rejects.toThrow(RangeError);
    await expect(broken.lastRevisions([stream])).rejects.toThrow(RangeError);
  });
});
