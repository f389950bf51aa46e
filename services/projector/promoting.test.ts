import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { pino } from 'pino';
import { goalMs } from './limits.ts';
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

/** A generation that is filled by hand, beside the one that is live. */
const newWorld = async () => {
  const log = modelLog();
  const control = modelControl(log);
  const readSide = control.of(1);
  for (const partition of partitions) log.append(partition);
  const name = await readSide.generations.begin();
  const promotion = promoting({ readSide, graceMs: 0, logger: pino({ level: 'silent' }) });
  const stands = (partition: number): ReadPosition | undefined => control.generation(name).position(partition);
  return {
    log,
    control,
    /** Brings a partition to where the log stands, or to another position. */
    fill: async (partition: number, { position = log.head() } = {}): Promise<void> => {
      const events = log.eventsOf(partition).filter((event) => event.position > (stands(partition)?.position ?? 0));
      const { position: after = 0, event: afterEvent = '' } = stands(partition) ?? {};
      const event = events.at(-1)?.envelope.id ?? afterEvent;
      const done = await control
        .generation(name)
        .applyTogether([{ partition, after, afterEvent, events, to: { incarnation: log.incarnation(), position, event } }]);
      if (!done) throw new Error('It was not applied.');
    },
    look: async ({ isLogAway = false } = {}): Promise<void> => {
      const [newest] = control.entries();
      if (!newest) throw new Error('There is no generation.');
      const sight = await lookAt(readSide.generations, log);
      await promotion.look(newest, isLogAway ? { ...sight, log: undefined } : sight);
      await promotion.idle();
    },
  };
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
