import { setTimeout as pause } from 'node:timers/promises';
import { beatEveryMs, blindMs, lookEveryMs } from '../limits.ts';
import { isComplete } from '../testing/model.ts';
import { modelPartitions } from '../testing/model-log.ts';
import { projectorWorlds } from '../testing/projectors.ts';
import { waitUntil } from '../testing/until.ts';

const newWorld = projectorWorlds();

describe('a projector', () => {
  it('feeds, begins and shows nothing any more once it is closed', async () => {
    const { start, append, isLive, control, consumers } = newWorld();
    append();
    const one = start();
    await waitUntil('it is live', () => isLive('1-1-1'));
    await waitUntil('it shows that it lives, though that failed once', () => control.beats() > 1);
    await one.close();
    expect(consumers.size).toBe(0);
    const seen = () => [control.deeds.length, control.generation('1-1-1').tried.length, control.beats()];
    const before = seen();
    control.wipe();
    append();
    await pause(3 * beatEveryMs);
    expect(seen()).toEqual(before);
  });

  it('can be closed before it has looked at anything', async () => {
    const { start, control } = newWorld();
    await start(1, { graceMs: 3_600_000 }).close();
    expect(control.deeds).toEqual([]);
  });

  it('is closed once what it has begun to do is done', async () => {
    const { start, control } = newWorld();
    control.ensureWithin(lookEveryMs);
    const one = start();
    await waitUntil('it makes sure of the read side', () => control.ensures() > 0);
    await one.close();
    expect(control.deeds).toEqual(['begin 1-1-1']);
  });

  it('is closed once its consumers have ended', async () => {
    const { start } = newWorld();
    const deeds: string[] = [];
    const one = start(1, {
      consume: async ({ signal }) => {
        deeds.push('begun');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await pause(lookEveryMs);
        deeds.push('ended');
      },
    });
    await waitUntil('it consumes', () => deeds.length > 0);
    await one.close();
    expect(deeds).toEqual(['begun', 'ended']);
  });

  it('begins one generation, however long it takes to make sure of the read side', async () => {
    const { start, append, isLive, control } = newWorld();
    append();
    control.ensureWithin(3 * lookEveryMs);
    start();
    await waitUntil('it is live', () => isLive());
    await pause(3 * lookEveryMs);
    expect(control.deeds.filter((deed) => deed.startsWith('begin'))).toEqual(['begin 1-1-1']);
  });

  it('says that the read side does not answer once it has not done so for a while, and no longer when it does', async () => {
    const { start, append, isLive, control } = newWorld();
    append();
    const one = start();
    await waitUntil('it is ready', () => isLive() && one.notReady().length === 0);
    control.away(true);
    expect(one.notReady()).toEqual([]);
    await waitUntil('it says so', () => one.notReady().join() === 'The read side does not answer.');
    control.away(false);
    await waitUntil('it is ready again', () => one.notReady().length === 0);
    expect(control.deeds).toEqual(['begin 1-1-1', 'promote 1-1-1']);
  });

  it('keeps what it has while the log does not answer, says so, does not blame the read side, and is ready again afterwards', async () => {
    const { start, append, isLive, log, control } = newWorld();
    append();
    const one = start();
    await waitUntil('it is ready', () => isLive() && one.notReady().length === 0);
    log.away(true);
    await waitUntil('it says so', () => one.notReady().includes('The event log does not answer.'));
    await pause(blindMs + 2 * lookEveryMs);
    expect(one.notReady().filter((trouble) => /read side|renew|is live/.test(trouble))).toEqual([]);
    log.away(false);
    await waitUntil('it is ready again', () => one.notReady().length === 0);
    expect(control.deeds).toEqual(['begin 1-1-1', 'promote 1-1-1']);
  });

  it('says nothing of a log that was rolled back while it makes its first generation', async () => {
    const { start, append } = newWorld();
    append();
    const one = start();
    const said = new Set<string>();
    await waitUntil('it is ready', () => {
      const troubles = one.notReady();
      for (const trouble of troubles) said.add(trouble);
      return troubles.length === 0;
    });
    expect([...said].filter((trouble) => trouble.includes('renew'))).toEqual([]);
  });

  it('drops the live one and the one that is to take its place when the log is another one', async () => {
    const { start, append, isLive, log, control } = newWorld();
    append();
    const one = start();
    await waitUntil('it is live', () => isLive('1-1-1'));
    control.hold('1-1-1');
    const name = await one.rebuild();
    await waitUntil('the new one is live beside the old one', () => control.read() === name);
    log.renew('renewed', 10);
    await waitUntil('another one has what the log has', () => control.read() !== name && isLive());
    expect(control.deeds).toEqual(expect.arrayContaining(['withdraw', 'retire 1-1-1', `retire ${name}`]));
  });

  it('leaves the live one alone where the one that is to take its place is lost', async () => {
    const { start, append, isLive, control, log } = newWorld();
    append();
    const one = start();
    await waitUntil('it is live', () => isLive('1-1-1'));
    control.compareBy(() => Promise.race([]));
    const name = await one.rebuild();
    await waitUntil('it is filled', () => isComplete(log, control.generation(name)));
    control.generation(name).wipe();
    append();
    await waitUntil('it is dropped', () => control.deeds.includes(`retire ${name}`));
    await waitUntil('the live one has what the log has', () => isLive('1-1-1'));
    expect(control.deeds).not.toContain('withdraw');
  });

  it('withdraws what was made from another log, though no record comes of it', async () => {
    const { start, append, isLive, log, control } = newWorld();
    append();
    start(1, {
      consume: async ({ assigned, signal }) => {
        assigned?.(Array.from({ length: modelPartitions }, (_, partition) => partition));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    await waitUntil('it is live', () => isLive('1-1-1'));
    log.renew('renewed', 10);
    await waitUntil('another one has what the log has', () => control.deeds.includes('retire 1-1-1') && isLive());
    expect(control.deeds).toContain('withdraw');
  });
});
