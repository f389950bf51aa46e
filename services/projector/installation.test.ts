import { setTimeout as pause } from 'node:timers/promises';
import { lookEveryMs } from './limits.ts';
import { projectorWorlds } from './testing/projectors.ts';
import { waitUntil } from './testing/until.ts';

const newWorld = projectorWorlds();

describe('a read side that belongs to an installation', () => {
  it('is named after that of the log before anything is written', async () => {
    const { start, append, isLive, control } = newWorld();
    append();
    start();
    await waitUntil('it is live', () => isLive());
    expect(control.installation()).toBe('model');
  });

  it('is left alone by the projectors of another one, which say what is to be done', async () => {
    const { start, append, control, lines, consumers } = newWorld();
    append();
    control.takeOver('another');
    const several = [start(), start()];
    await waitUntil('they say so', () => several.every(({ notReady }) => notReady().join() === 'It belongs to another.'));
    await pause(3 * lookEveryMs);
    expect([control.deeds, control.entries(), consumers.size]).toEqual([[], [], 0]);
    const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'It belongs to another.');
    expect(told.map(({ level }) => level)).toEqual([50, 50]);
  });

  it('is not fed on once another one has taken it over, and again when it is given back', async () => {
    const { start, append, isLive, control, consumers, log } = newWorld();
    append();
    const one = start();
    await waitUntil('it is live', () => isLive());
    control.takeOver('another');
    await waitUntil('nothing is consumed', () => consumers.size === 0);
    const [deeds, tried] = [[...control.deeds], control.generation('1-1-1').tried.length];
    append();
    await pause(3 * lookEveryMs);
    expect([control.deeds, control.generation('1-1-1').tried.length, one.notReady()]).toEqual([deeds, tried, ['It belongs to another.']]);
    control.takeOver('model');
    await waitUntil('it has what the log has', () => isLive('1-1-1') && log.head() > 0);
    await waitUntil('it is ready', () => one.notReady().length === 0);
    expect(control.deeds).toEqual(deeds);
  });

  it('is fed on while it does not say whose it is', async () => {
    const { start, append, isLive, control, consumers } = newWorld();
    append();
    const one = start();
    await waitUntil('it is live', () => isLive());
    control.hideOwner(true);
    await pause(3 * lookEveryMs);
    expect([consumers.size, one.notReady()]).toEqual([1, []]);
    control.hideOwner(false);
  });

  it('is not written to before the log has said which one this is', async () => {
    const { start, append, control, log, isLive } = newWorld();
    append();
    log.away(true);
    const one = start();
    await pause(3 * lookEveryMs);
    expect([control.deeds, control.installation()]).toEqual([[], undefined]);
    expect(one.notReady()).toContain('The event log does not answer.');
    log.away(false);
    await waitUntil('it is live', () => isLive());
  });
});
