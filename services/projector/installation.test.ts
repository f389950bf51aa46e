import { setTimeout as pause } from 'node:timers/promises';
import { checkEveryMs } from './limits.ts';
import { projectorSetups } from './testing/projectors.ts';
import { waitUntil } from './testing/until.ts';

const newSetup = projectorSetups();

describe('read models that belong to an installation', () => {
  it('are claimed for the installation of the log before anything is written', async () => {
    const { start, append, isLive, control } = newSetup();
    append();
    start();
    await waitUntil('the generation is live', () => isLive());
    expect(control.installation()).toBe('model');
  });

  it('are not touched by the projectors of another installation, which report what to do', async () => {
    const { start, append, control, lines, consumers } = newSetup();
    append();
    control.takeOver('another');
    const several = [start(), start()];
    await waitUntil('both projectors report it', () =>
      several.every(({ notReady }) => notReady().join() === 'The read models belong to another.'),
    );
    await pause(3 * checkEveryMs);
    expect([control.changes, control.entries(), consumers.size]).toEqual([[], [], 0]);
    const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'The read models belong to another.');
    expect(told.map(({ level }) => level)).toEqual([50, 50]);
  });

  it('are not fed after another installation has taken them over, and are fed again once they are given back', async () => {
    const { start, append, isLive, control, consumers, log } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive());
    control.takeOver('another');
    await waitUntil('no consumer runs', () => consumers.size === 0);
    const [deeds, tried] = [[...control.changes], control.generation('1-1-1').tried.length];
    append();
    await pause(3 * checkEveryMs);
    expect([control.changes, control.generation('1-1-1').tried.length, one.notReady()]).toEqual([
      deeds,
      tried,
      ['The read models belong to another.'],
    ]);
    control.takeOver('model');
    await waitUntil('the generation has all events of the log', () => isLive('1-1-1') && log.head() > 0);
    await waitUntil('the projector is ready', () => one.notReady().length === 0);
    expect(control.changes).toEqual(deeds);
  });

  it('are still fed while they do not return their installation', async () => {
    const { start, append, isLive, control, consumers } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive());
    control.hideOwner(true);
    await pause(3 * checkEveryMs);
    expect([consumers.size, one.notReady()]).toEqual([1, []]);
    control.hideOwner(false);
  });

  it('are not written to before the log has returned its installation', async () => {
    const { start, append, control, log, isLive } = newSetup();
    append();
    log.setUnavailable(true);
    const one = start();
    await pause(3 * checkEveryMs);
    expect([control.changes, control.installation()]).toEqual([[], undefined]);
    expect(one.notReady()).toContain('The event log does not answer.');
    log.setUnavailable(false);
    await waitUntil('the generation is live', () => isLive());
  });
});
