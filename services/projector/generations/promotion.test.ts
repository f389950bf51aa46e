import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { goalMs, retireAfterMs } from '../limits.ts';
import { createPromotionSetup, partitions } from '../testing/promotion-setup.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Creates a setup with one live generation. */
const liveWorld = async () => {
  const world = await createPromotionSetup();
  await world.rebuild();
  await world.look();
  expect(world.control.read()).toBe('1-1-1');
  return world;
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

  it('need not have what the log got since it was looked at, for a while', async () => {
    const { control, log, look, fill } = await createPromotionSetup();
    await look();
    for (const partition of partitions) await fill(partition);
    log.append(0);
    jest.advanceTimersByTime(goalMs);
    await look();
    expect(control.read()).toBe('1-1-1');
  });

  it('has to have what the log got before that', async () => {
    const { control, log, look, fill } = await createPromotionSetup();
    await look();
    for (const partition of partitions) await fill(partition);
    log.append(0);
    jest.advanceTimersByTime(goalMs + 1);
    await look();
    expect(control.read()).toBeUndefined();
    for (const partition of partitions) await fill(partition);
    await look();
    expect(control.read()).toBe('1-1-1');
  });

  it('is not promoted with positions of another log, nor while the log does not answer', async () => {
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
  it('comes after the comparison with the live one, and what came of that is kept', async () => {
    const { control, promotion, rebuild, look } = await liveWorld();
    control.compareBy(async () => {
      for (let turns = 0; turns < 10; turns += 1) await new Promise(setImmediate);
      return { outcome: 'equal', rows: 7, different: 0, examples: [] };
    });
    await rebuild();
    await look();
    expect(control.deeds.slice(2)).toEqual(['begin 1-2-2', 'compare 1-2-2 with 1-1-1', 'promote 1-2-2']);
    expect([...promotion.comparisons()]).toEqual([['1-2-2', { with: '1-1-1', outcome: 'equal', rows: 7, different: 0, examples: [] }]]);
  });

  it.each([
    ['equal', 30, 'is equal to'],
    ['undecided', 40, 'could not be compared'],
    ['different', 50, 'was not what the log says'],
  ] as const)('says what came of the comparison: %s', async (outcome, level, words) => {
    const { control, lines, rebuild, look } = await liveWorld();
    control.compareBy(async () => ({ outcome, rows: 7, different: outcome === 'equal' ? 0 : 1, examples: [] }));
    await rebuild();
    await look();
    expect(control.read()).toBe('1-2-2');
    const told = lines.filter(({ msg }) => /equal|compared|what the log says/.test(msg));
    expect(told).toEqual([expect.objectContaining({ level, msg: expect.stringContaining(words), with: '1-1-1' })]);
  });

  it('is made by one look at a time', async () => {
    const { control, promotion, rebuild, lookOnly } = await liveWorld();
    await rebuild();
    for (let times = 0; times < 3; times += 1) await lookOnly();
    await promotion.idle();
    expect(control.deeds.filter((deed) => deed === 'promote 1-2-2')).toHaveLength(1);
  });

  it('that failed is tried again at the next look', async () => {
    const { control, failToPromote, rebuild, look } = await liveWorld();
    await rebuild();
    failToPromote(1);
    await look();
    expect(control.read()).toBe('1-1-1');
    await look();
    expect(control.read()).toBe('1-2-2');
  });

  it('is made again where the pointer was withdrawn', async () => {
    const { control, generations, look } = await liveWorld();
    await generations.withdraw();
    await look();
    expect(control.read()).toBe('1-1-1');
  });

  it('is not made again where the generation gave way to one of another version', async () => {
    const { control, promoteOther, look } = await liveWorld();
    const name = await promoteOther(2);
    await look();
    expect(control.read()).toBe(name);
  });
});

describe('a generation whose place was taken', () => {
  const names = (world: Awaited<ReturnType<typeof createPromotionSetup>>): readonly string[] =>
    world.control.entries().map(({ name }) => name);

  it('is dropped when the new one was alone for long enough, and what another version is filling is not', async () => {
    const world = await liveWorld();
    const filling = await world.control.of(2).generations.begin();
    const next = await world.rebuild();
    await world.look();
    await world.look();
    jest.advanceTimersByTime(retireAfterMs);
    await world.look();
    expect(names(world)).toEqual(['1-1-1', filling, next]);
    jest.advanceTimersByTime(1);
    await world.look();
    expect(names(world)).toEqual([filling, next]);
  });

  it('is dropped at a later look where that failed, and the look says so', async () => {
    const world = await liveWorld();
    const next = await world.rebuild();
    await world.look();
    await world.look();
    jest.advanceTimersByTime(retireAfterMs + 1);
    world.failToRetire(1);
    await expect(world.look()).rejects.toThrow(ReadModelsUnavailable);
    expect(names(world)).toEqual(['1-1-1', next]);
    await world.look();
    expect(names(world)).toEqual([next]);
  });

  it('stays as long as somebody reads it, and for long enough after that', async () => {
    const world = await liveWorld();
    const next = await world.rebuild();
    await world.look();
    await world.look();
    jest.advanceTimersByTime(retireAfterMs - 1);
    world.control.hold('1-1-1');
    await world.generations.promote('1-1-1');
    await world.generations.promote(next);
    await world.look();
    jest.advanceTimersByTime(retireAfterMs + 1);
    await world.look();
    expect(names(world)).toEqual(['1-1-1', next]);
    world.control.hold(undefined);
    await world.look();
    jest.advanceTimersByTime(retireAfterMs);
    await world.look();
    expect(names(world)).toEqual(['1-1-1', next]);
    jest.advanceTimersByTime(1);
    await world.look();
    expect(names(world)).toEqual([next]);
  });

  it('is dropped, too, where it is of another version', async () => {
    const world = await createPromotionSetup();
    await world.generations.retire('1-1-1');
    await world.promoteOther(2);
    const next = await world.rebuild();
    await world.look();
    await world.look();
    jest.advanceTimersByTime(retireAfterMs + 1);
    await world.look();
    expect(names(world)).toEqual([next]);
  });
});
