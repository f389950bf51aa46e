import { setTimeout as pause } from 'node:timers/promises';
import { beatEveryMs, checkEveryMs, unreadableMs } from '../limits.ts';
import { isComplete } from '../testing/model.ts';
import { modelPartitions } from '../testing/model-log.ts';
import { projectorSetups } from '../testing/projectors.ts';
import { waitUntil } from '../testing/until.ts';

const newSetup = projectorSetups();

describe('a projector', () => {
  it('feeds, creates and reports nothing after it is closed', async () => {
    const { start, append, isLive, control, consumers } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive('1-1-1'));
    await waitUntil('the projector shows that it is alive, although the first attempt failed', () => control.beats() > 1);
    await one.close();
    expect(consumers.size).toBe(0);
    const seen = () => [control.changes.length, control.generation('1-1-1').tried.length, control.beats()];
    const before = seen();
    control.wipe();
    append();
    await pause(3 * beatEveryMs);
    expect(seen()).toEqual(before);
  });

  it('can be closed before its first check', async () => {
    const { start, control } = newSetup();
    await start(1, { graceMs: 3_600_000 }).close();
    expect(control.changes).toEqual([]);
  });

  it('is closed only after it has finished the work that it began', async () => {
    const { start, control } = newSetup();
    control.ensureWithin(checkEveryMs);
    const one = start();
    await waitUntil('the projector prepares the read models', () => control.ensures() > 0);
    await one.close();
    expect(control.changes).toEqual(['begin 1-1-1']);
  });

  it('is closed only after its consumers have ended', async () => {
    const { start } = newSetup();
    const deeds: string[] = [];
    const one = start(1, {
      consume: async ({ signal }) => {
        deeds.push('begun');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await pause(checkEveryMs);
        deeds.push('ended');
      },
    });
    await waitUntil('it consumes', () => deeds.length > 0);
    await one.close();
    expect(deeds).toEqual(['begun', 'ended']);
  });

  it('creates one generation, however long the preparation of the read models takes', async () => {
    const { start, append, isLive, control } = newSetup();
    append();
    control.ensureWithin(3 * checkEveryMs);
    start();
    await waitUntil('the generation is live', () => isLive());
    await pause(3 * checkEveryMs);
    expect(control.changes.filter((deed) => deed.startsWith('begin'))).toEqual(['begin 1-1-1']);
  });

  it('reports that the read models do not answer after some time, and stops reporting it once they answer', async () => {
    const { start, append, isLive, control } = newSetup();
    append();
    const one = start();
    await waitUntil('the projector is ready', () => isLive() && one.notReady().length === 0);
    control.setUnavailable(true);
    expect(one.notReady()).toEqual([]);
    await waitUntil('the projector reports it', () => one.notReady().join() === 'The read models do not answer.');
    control.setUnavailable(false);
    await waitUntil('the projector is ready again', () => one.notReady().length === 0);
    expect(control.changes).toEqual(['begin 1-1-1', 'promote 1-1-1']);
  });

  it('keeps its generation while the log does not answer, reports only the log, and is ready again afterwards', async () => {
    const { start, append, isLive, log, control } = newSetup();
    append();
    const one = start();
    await waitUntil('the projector is ready', () => isLive() && one.notReady().length === 0);
    log.setUnavailable(true);
    await waitUntil('the projector reports it', () => one.notReady().includes('The event log does not answer.'));
    await pause(unreadableMs + 2 * checkEveryMs);
    expect(one.notReady().filter((trouble) => /read models|renew|is live/.test(trouble))).toEqual([]);
    log.setUnavailable(false);
    await waitUntil('the projector is ready again', () => one.notReady().length === 0);
    expect(control.changes).toEqual(['begin 1-1-1', 'promote 1-1-1']);
  });

  it('reports no rollback of the log while it builds its first generation', async () => {
    const { start, append } = newSetup();
    append();
    const one = start();
    const said = new Set<string>();
    await waitUntil('the projector is ready', () => {
      const problems = one.notReady();
      for (const trouble of problems) said.add(trouble);
      return problems.length === 0;
    });
    expect([...said].filter((trouble) => trouble.includes('renew'))).toEqual([]);
  });

  it('drops the live generation and the one that is to replace it if the log was replaced', async () => {
    const { start, append, isLive, log, control } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive('1-1-1'));
    control.keepReader('1-1-1');
    const name = await one.rebuild();
    await waitUntil('the new generation is live next to the old one', () => control.read() === name);
    log.renew('renewed', 10);
    await waitUntil('another generation has all events of the log', () => control.read() !== name && isLive());
    expect(control.changes).toEqual(expect.arrayContaining(['withdraw', 'retire 1-1-1', `retire ${name}`]));
  });

  it('keeps the live generation if the one that is to replace it is lost', async () => {
    const { start, append, isLive, control, log } = newSetup();
    append();
    const one = start();
    await waitUntil('the generation is live', () => isLive('1-1-1'));
    control.compareBy(() => Promise.race([]));
    const name = await one.rebuild();
    await waitUntil('the new generation is filled', () => isComplete(log, control.generation(name)));
    control.generation(name).wipe();
    append();
    await waitUntil('the new generation is dropped', () => control.changes.includes(`retire ${name}`));
    await waitUntil('the live generation has all events of the log', () => isLive('1-1-1'));
    expect(control.changes).not.toContain('withdraw');
  });

  it('withdraws a generation that was built from another log, even if no record shows it', async () => {
    const { start, append, isLive, log, control } = newSetup();
    append();
    start(1, {
      consume: async ({ assigned, signal }) => {
        assigned?.(Array.from({ length: modelPartitions }, (_, partition) => partition));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    await waitUntil('the generation is live', () => isLive('1-1-1'));
    log.renew('renewed', 10);
    await waitUntil('another generation has all events of the log', () => control.changes.includes('retire 1-1-1') && isLive());
    expect(control.changes).toContain('withdraw');
  });
});
