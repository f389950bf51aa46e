import { BrokerUnavailable } from '@waymark/broker/broker.ts';
import { isComplete } from '../testing/model.ts';
import { projectorSetups } from '../testing/projectors.ts';
import { waitUntil } from '../testing/until.ts';

/** Projectors check generations twice a second, and drop them three seconds after they were replaced. */
const newSetup = projectorSetups();

describe('the first projector', () => {
  it('creates a generation, fills it from the log, and makes it live; then it is ready', async () => {
    const { start, append, isLive, control } = newSetup();
    append();
    const one = start();
    expect(one.notReady()).toContainEqual(expect.stringContaining('is live'));
    await waitUntil('the generation is live', () => isLive());
    await waitUntil('the projector is ready', () => one.notReady().length === 0);
    expect(control.changes).toEqual(['begin 1-1-1', 'promote 1-1-1']);
    append();
    await waitUntil('later events are there', () => isLive());
  });

  it('may run as several processes', async () => {
    const { start, append, isLive, control, announced } = newSetup();
    append();
    const several = [start(), start(), start()];
    await waitUntil('the generation is live', () => isLive());
    await waitUntil('the projectors are ready', () => several.every(({ notReady }) => notReady().length === 0));
    expect(control.entries()).toHaveLength(1);
    expect(control.generation(control.read() ?? '').violations).toEqual([]);
    expect(announced.length).toBeGreaterThan(0);
  });

  it('shows figures and metrics of the generations that it feeds', async () => {
    const { start, append, isLive } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive());
    expect(one.stats().projections).toMatchObject([{ generation: '1-1-1', totals: { events: 30 } }]);
    expect(await one.metrics()).toMatch(/waymark_projection_events_total\{generation="1-1-1"\} 30\n/);
    expect(await one.metrics()).toMatch(/waymark_projection_position\{generation="1-1-1",partition="2"\} \d+\n/);
    expect(await one.metrics()).toMatch(/waymark_projection_lag_seconds_count\{generation="1-1-1"\} \d+\n/);
  });
});

describe('a generation', () => {
  it('is created again and built from the log if the read models are wiped while the projector runs', async () => {
    const { start, append, isLive, control } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive('1-1-1'));
    control.wipe();
    append();
    await waitUntil('the next generation is live', () => isLive('1-1-2'));
    await waitUntil('the projector is ready again', () => one.notReady().length === 0);
  });

  it('is withdrawn, dropped and rebuilt if the log was replaced', async () => {
    const { start, append, isLive, control, log, lines } = newSetup();
    append();
    start();
    await waitUntil('the generation is live', () => isLive('1-1-1'));
    log.renew('renewed', 10);
    await waitUntil('the new generation is live', () => control.read() === '1-1-2' || isLive('1-2-2'));
    expect(control.changes.slice(2, 4)).toEqual(['withdraw', 'retire 1-1-1']);
    await waitUntil('the generation has all events of the log', () => isLive());
    // The generation gets no new feeder while it is dropped.
    expect(lines.filter((line) => line.includes('cannot be used any more'))).toHaveLength(1);
  });

  it('that cannot be used is dropped before a new one is created, even if dropping fails at first', async () => {
    const { start, append, isLive, control, log } = newSetup();
    append();
    start();
    await waitUntil('the generation is live', () => isLive('1-1-1'));
    control.refuseToRetire(2);
    log.renew('renewed', 10);
    await waitUntil('the next generation is live', () => control.read() !== undefined && isLive());
    expect(control.changes.filter((deed) => !deed.startsWith('promote') && deed !== 'withdraw')).toEqual([
      'begin 1-1-1',
      'retire 1-1-1',
      expect.stringMatching(/^begin /),
    ]);
  });

  it('is not fed from a log that ends before it', async () => {
    const { start, append, isLive, log } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive());
    log.renew(log.incarnation(), 10);
    await waitUntil('the projector reports it', () => one.notReady().some((trouble) => trouble.includes('renew')));
  });

  it('replaces the previous one when a rebuild is requested, and the previous one is fed until then', async () => {
    const { start, append, isLive, control, log } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive('1-1-1'));
    control.keepReader('1-1-1');
    const name = await one.rebuild();
    append();
    await waitUntil('the new generation is live', () => isLive(name));
    append();
    await waitUntil('both generations have all events', () => isLive(name) && isComplete(log, control.generation('1-1-1')));
    control.keepReader(undefined);
    await waitUntil('the old generation is dropped', () => control.entries().length === 1);
    expect(control.changes.at(-1)).toBe('retire 1-1-1');
  });
});

describe('a rebuild', () => {
  const different = { outcome: 'different', rows: 30, different: 2, examples: ['pinpoint 1', 'list 7'] } as const;

  it('is compared with the live generation before it replaces it', async () => {
    const { start, append, isLive, control, lines } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive('1-1-1'));
    const name = await one.rebuild();
    await waitUntil('the new generation is live', () => isLive(name));
    const deeds = control.changes.filter((deed) => deed.includes(name));
    expect(deeds.slice(0, 3)).toEqual([`begin ${name}`, `compare ${name} with 1-1-1`, `promote ${name}`]);
    expect(lines.some((line) => line.includes('is equal to the live generation'))).toBe(true);
    expect(await one.metrics()).toContain(`waymark_projection_rebuild_differences{generation="${name}",outcome="equal"} 0`);
  });

  it('that differs from the live generation replaces it all the same, and the projector logs an error', async () => {
    const { start, append, isLive, control, lines } = newSetup();
    control.compareBy(async () => different);
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive('1-1-1'));
    const name = await one.rebuild();
    await waitUntil('the new generation is live', () => isLive(name));
    const line = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg.includes('differed from the log'));
    expect(line).toMatchObject({ level: 50, generation: name, with: '1-1-1', ...different });
    expect(await one.metrics()).toContain(`waymark_projection_rebuild_differences{generation="${name}",outcome="different"} 2`);
  });

  it('that cannot be compared replaces the live generation', async () => {
    const { start, append, isLive, control } = newSetup();
    control.compareBy(() => Promise.reject(new Error('The generation cannot be read.')));
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive('1-1-1'));
    const name = await one.rebuild();
    await waitUntil('the new generation is live', () => isLive(name));
  });
});

describe('a consumer', () => {
  it('that ends is replaced', async () => {
    const { start, append, isLive } = newSetup();
    append();
    let tries = 0;
    start(1, {
      consume: async (consumption) => {
        tries += 1;
        if (tries < 3) throw new BrokerUnavailable('The broker is unavailable.');
        consumption.assigned?.([0, 1, 2]);
        await new Promise((resolve) => consumption.signal.addEventListener('abort', resolve));
      },
    });
    await waitUntil('the generation is live all the same', () => isLive());
    expect(tries).toBe(3);
  });
});
