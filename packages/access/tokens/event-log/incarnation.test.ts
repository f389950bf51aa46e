import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { unreliable } from '../../testing/unreliable.ts';
import { incarnationFreshMs } from '../limits.ts';
import { createIncarnation } from './incarnation.ts';

describe('the incarnation of the log', () => {
  let log: Awaited<ReturnType<typeof logOfItsOwn>>;
  let nowMs: number;
  beforeAll(async () => {
    log = await logOfItsOwn();
  });
  afterAll(() => log.close());
  beforeEach(() => {
    nowMs = 1_000_000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => jest.restoreAllMocks());

  /** Creates an incarnation cache over a watched log. `asked` holds the time of each query; `late` is the duration of a response in
   * milliseconds. */
  const begin = ({ late = 0 } = {}) => {
    const { faults, ...watched } = unreliable(log);
    const asked: number[] = [];
    const incarnation = createIncarnation({
      ...watched,
      state: async () => {
        asked.push(nowMs);
        const state = await watched.state();
        nowMs += late;
        return state;
      },
    });
    return { incarnation, faults, asked };
  };

  it('is read once for all concurrent callers, and is then cached', async () => {
    const { incarnation, asked } = begin();
    const { incarnation: name } = await log.state();
    expect(await Promise.all([incarnation.now(), incarnation.now(), incarnation.now()])).toEqual([name, name, name]);
    nowMs += incarnationFreshMs - 1;
    expect(await incarnation.now()).toBe(name);
    expect(asked).toHaveLength(1);
  });

  it('is never older than allowed, counted from the start of the query', async () => {
    const { incarnation, faults, asked } = begin({ late: incarnationFreshMs - 1 });
    await incarnation.now();
    faults.incarnation = 'another';
    nowMs += 1;
    expect(await incarnation.now()).toBe('another');
    expect(asked).toHaveLength(2);
  });

  it('is the last known one for callers that accept an old value', async () => {
    const { incarnation, faults } = begin();
    expect(incarnation.before()).toBeUndefined();
    const name = await incarnation.now();
    expect(incarnation.before()).toBe(name);
    faults.unavailable = true;
    nowMs += incarnationFreshMs;
    await expect(incarnation.now()).rejects.toThrow(LogUnavailable);
    expect(incarnation.before()).toBe(name);
  });

  it('is queried again after the log was unavailable', async () => {
    const { incarnation, faults } = begin();
    faults.unavailable = true;
    await expect(incarnation.now()).rejects.toThrow(LogUnavailable);
    faults.unavailable = false;
    expect(await incarnation.now()).toBe((await log.state()).incarnation);
  });
});
