import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { pino } from 'pino';
import { goalMs, retireAfterMs } from './limits.ts';
import type { GenerationEntry, Generations } from './ports.ts';
import { promoting } from './promoting.ts';
import { lookAt } from './sight.ts';
import { modelControl } from './testing/model-control.ts';
import { modelLog, modelPartitions } from './testing/model-log.ts';

const partitions = Array.from({ length: modelPartitions }, (_, partition) => partition);

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Generations of version 1 that are filled by hand, and looked at by hand; the first one is begun. */
const newWorld = async () => {
  const log = modelLog();
  const control = modelControl(log);
  const readSide = control.of(1);
  for (const partition of partitions) log.append(partition);
  await readSide.generations.begin();
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const faults = { promote: 0, retire: 0 };
  const tried = (what: keyof typeof faults): void => {
    faults[what] -= 1;
    if (faults[what] >= 0) throw new ReadModelsUnavailable('It is away for a moment.');
  };
  const generations: Generations = {
    ...readSide.generations,
    promote: async (name) => {
      tried('promote');
      await readSide.generations.promote(name);
    },
    retire: async (name) => {
      await new Promise(setImmediate);
      tried('retire');
      await readSide.generations.retire(name);
    },
  };
  const promotion = promoting({ readSide: { ...readSide, generations }, graceMs: 0, logger });
  const newest = (): GenerationEntry => {
    const last = control.entries().findLast(({ version }) => version === 1);
    if (!last) throw new Error('There is no generation.');
    return last;
  };
  /** Brings a partition to where the log stands, or to another position. */
  const fill = async (partition: number, { position = log.head() } = {}): Promise<void> => {
    const generation = control.generation(newest().name);
    const { position: after = 0, event: afterEvent = '' } = generation.position(partition) ?? {};
    const events = log.eventsOf(partition).filter((event) => event.position > after);
    const to = { incarnation: log.incarnation(), position, event: events.at(-1)?.envelope.id ?? afterEvent };
    if (!(await generation.applyTogether([{ partition, after, afterEvent, events, to }]))) throw new Error('It was not applied.');
  };
  const look = async ({ isLogAway = false } = {}): Promise<void> => {
    const sight = await lookAt(readSide.generations, log);
    await promotion.look(newest(), isLogAway ? { ...sight, log: undefined } : sight);
  };
  return {
    ...{ log, control, lines, promotion, fill, generations: readSide.generations, of: control.of },
    failToPromote: (times: number): void => {
      faults.promote = times;
    },
    failToRetire: (times: number): void => {
      faults.retire = times;
    },
    /** Looks, and waits for what comes of it. */
    look: async (options?: Parameters<typeof look>[0]): Promise<void> => {
      await look(options);
      await promotion.idle();
    },
    lookOnly: look,
    /** One of another version becomes the live one. */
    promoteOther: async (version: number): Promise<string> => {
      const { generations } = control.of(version);
      const name = await generations.begin();
      const to = { incarnation: log.incarnation(), position: log.head(), event: '' };
      const steps = partitions.map((partition) => ({ partition, after: 0, afterEvent: '', events: log.eventsOf(partition), to }));
      await control.generation(name).applyTogether(steps);
      await generations.promote(name);
      return name;
    },
    /** Begins the next one, and fills it. */
    rebuild: async (): Promise<string> => {
      const name = await readSide.generations.begin();
      for (const partition of partitions) await fill(partition);
      return name;
    },
  };
};

/** With one that is live. */
const liveWorld = async () => {
  const world = await newWorld();
  await world.rebuild();
  await world.look();
  expect(world.control.read()).toBe('1-1-1');
  return world;
};

describe('a generation', () => {
  it('is not promoted before each partition has caught up with the log', async () => {
    const { control, log, look, fill } = await newWorld();
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
    const { control, log, look, fill } = await newWorld();
    await look();
    for (const partition of partitions) await fill(partition);
    log.append(0);
    jest.advanceTimersByTime(goalMs);
    await look();
    expect(control.read()).toBe('1-1-1');
  });

  it('has to have what the log got before that', async () => {
    const { control, log, look, fill } = await newWorld();
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
    const { control, log, look, fill } = await newWorld();
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
  const names = (world: Awaited<ReturnType<typeof newWorld>>): readonly string[] => world.control.entries().map(({ name }) => name);

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
    const world = await newWorld();
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
