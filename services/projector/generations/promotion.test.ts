import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { completeWithinMs, retireAfterMs } from '../limits.ts';
import { createPromotionSetup, partitions } from '../testing/promotion-setup.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Creates a setup with one live generation. */
const liveSetup = async () => {
  const clusterContext = await createPromotionSetup();
  await clusterContext.rebuild();
  await clusterContext.look();
  expect(clusterContext.control.read()).toBe('1-1-1');
  return clusterContext;
};

describe('a generation', () => {
  it('is not promoted before each partition has caught up with the log', async () => {
    const { control, log, look, fill } = await createPromotionSetup();
    await look();
    expect(control.read()).toBeUndefined();
    for (const partition of partitions) await fill(partition, { position: log.head() - 1 });
    await look();
    expect(control.read()).toBeUndefined();
    for (const partition of partitions.slice(1)) await fill(partition);
    await look();
    expect(control.read()).toBeUndefined();
    await fill(0);
    await look();
    expect(control.read()).toBe('1-1-1');
  });

  it('may lack, for a while, the events that the log received since the last check', async () => {
    const { control, log, look, fill } = await createPromotionSetup();
    await look();
    for (const partition of partitions) await fill(partition);
    log.append(0);
    jest.advanceTimersByTime(completeWithinMs);
    await look();
    expect(control.read()).toBe('1-1-1');
  });

  it('must contain the events that the log received before that', async () => {
    const { control, log, look, fill } = await createPromotionSetup();
    await look();
    for (const partition of partitions) await fill(partition);
    log.append(0);
    jest.advanceTimersByTime(completeWithinMs + 1);
    await look();
    expect(control.read()).toBeUndefined();
    for (const partition of partitions) await fill(partition);
    await look();
    expect(control.read()).toBe('1-1-1');
  });

  it('is not promoted with positions of another log, or while the log does not answer', async () => {
    const { control, log, look, fill } = await createPromotionSetup();
    for (const partition of partitions) await fill(partition);
    await look({ isLogAway: true });
    expect(control.read()).toBeUndefined();
    log.renew('renewed', log.head());
    await look();
    expect(control.read()).toBeUndefined();
  });
});

describe('a promotion', () => {
  it('follows the comparison with the live generation, and keeps the result', async () => {
    const { control, promotion, rebuild, look } = await liveSetup();
    control.compareBy(async () => {
      for (let turns = 0; turns < 10; turns += 1) await new Promise(setImmediate);
      return { outcome: 'equal', rows: 7, different: 0, examples: [] };
    });
    await rebuild();
    await look();
    expect(control.changes.slice(2)).toEqual(['begin 1-2-2', 'compare 1-2-2 with 1-1-1', 'promote 1-2-2']);
    expect([...promotion.comparisons()]).toEqual([['1-2-2', { with: '1-1-1', outcome: 'equal', rows: 7, different: 0, examples: [] }]]);
  });

  it.each([
    ['equal', 30, 'is equal to'],
    ['undecided', 40, 'could not be compared'],
    ['different', 50, 'differed from the log'],
  ] as const)('logs the result of the comparison: %s', async (outcome, level, words) => {
    const { control, lines, rebuild, look } = await liveSetup();
    control.compareBy(async () => ({ outcome, rows: 7, different: outcome === 'equal' ? 0 : 1, examples: [] }));
    await rebuild();
    await look();
    expect(control.read()).toBe('1-2-2');
    const outcomes = lines.filter(({ msg }) => /equal|compared|differed from the log/.test(msg));
    expect(outcomes).toEqual([expect.objectContaining({ level, msg: expect.stringContaining(words), with: '1-1-1' })]);
  });

  it('is started by only one check at a time', async () => {
    const { control, promotion, rebuild, lookOnly } = await liveSetup();
    await rebuild();
    for (let times = 0; times < 3; times += 1) await lookOnly();
    await promotion.idle();
    expect(control.changes.filter((deed) => deed === 'promote 1-2-2')).toHaveLength(1);
  });

  it('that failed is retried at the next check', async () => {
    const { control, failToPromote, rebuild, look } = await liveSetup();
    await rebuild();
    failToPromote(1);
    await look();
    expect(control.read()).toBe('1-1-1');
    await look();
    expect(control.read()).toBe('1-2-2');
  });

  it('is repeated if the pointer was withdrawn', async () => {
    const { control, generations, look } = await liveSetup();
    await generations.withdraw();
    await look();
    expect(control.read()).toBe('1-1-1');
  });
});

describe('a generation that was replaced', () => {
  const names = (clusterContext: Awaited<ReturnType<typeof createPromotionSetup>>): readonly string[] =>
    clusterContext.control.entries().map(({ name }) => name);

  it('is dropped once the new one was alone for long enough; a generation that another version is filling is kept', async () => {
    const clusterContext = await liveSetup();
    const filling = await clusterContext.control.forVersion(2).generations.begin();
    const next = await clusterContext.rebuild();
    await clusterContext.look();
    await clusterContext.look();
    jest.advanceTimersByTime(retireAfterMs);
    await clusterContext.look();
    expect(names(clusterContext)).toEqual(['1-1-1', filling, next]);
    jest.advanceTimersByTime(1);
    await clusterContext.look();
    expect(names(clusterContext)).toEqual([filling, next]);
  });

  it('is dropped at a later check if that failed, and the failed check throws', async () => {
    const clusterContext = await liveSetup();
    const next = await clusterContext.rebuild();
    await clusterContext.look();
    await clusterContext.look();
    jest.advanceTimersByTime(retireAfterMs + 1);
    clusterContext.failToRetire(1);
    await expect(clusterContext.look()).rejects.toThrow(ReadModelsUnavailable);
    expect(names(clusterContext)).toEqual(['1-1-1', next]);
    await clusterContext.look();
    expect(names(clusterContext)).toEqual([next]);
  });

  it('stays while it has a reader, and for some time after that', async () => {
    const clusterContext = await liveSetup();
    const next = await clusterContext.rebuild();
    await clusterContext.look();
    await clusterContext.look();
    jest.advanceTimersByTime(retireAfterMs - 1);
    clusterContext.control.keepReader('1-1-1');
    await clusterContext.generations.promote('1-1-1');
    await clusterContext.generations.promote(next);
    await clusterContext.look();
    jest.advanceTimersByTime(retireAfterMs + 1);
    await clusterContext.look();
    expect(names(clusterContext)).toEqual(['1-1-1', next]);
    clusterContext.control.keepReader(undefined);
    await clusterContext.look();
    jest.advanceTimersByTime(retireAfterMs);
    await clusterContext.look();
    expect(names(clusterContext)).toEqual(['1-1-1', next]);
    jest.advanceTimersByTime(1);
    await clusterContext.look();
    expect(names(clusterContext)).toEqual([next]);
  });

  it('is also dropped if it is of another version', async () => {
    const clusterContext = await createPromotionSetup();
    await clusterContext.generations.retire('1-1-1');
    await clusterContext.promoteOther(2);
    const next = await clusterContext.rebuild();
    await clusterContext.look();
    await clusterContext.look();
    jest.advanceTimersByTime(retireAfterMs + 1);
    await clusterContext.look();
    expect(names(clusterContext)).toEqual([next]);
  });
});
