import { setTimeout as pause } from 'node:timers/promises';
import { checkEveryMs } from '../limits.ts';
import { isComplete } from '../testing/model.ts';
import { projectorSetups } from '../testing/projectors.ts';
import { waitUntil } from '../testing/until.ts';

/** Projectors check generations twice a second, and drop them three seconds after they were replaced. */
const newSetup = projectorSetups();

describe('a projector of another version', () => {
  it('fills a generation of its own and takes over; the old projector feeds its generation while it is read, even after it was stopped', async () => {
    const { start, append, isLive, control, log } = newSetup();
    append();
    const old = start(1);
    await waitUntil('the old generation is live', () => isLive('1-1-1'));
    control.keepReader('1-1-1');
    const next = start(2);
    await waitUntil('the new generation is live', () => isLive('2-2-2'));
    await waitUntil('the new projector is ready', () => next.notReady().length === 0);
    let closed = false;
    const closing = old.close().then(() => {
      closed = true;
    });
    append();
    await waitUntil('the old generation is still fed', () => control.generation('1-1-1').applied(0).length === log.eventsOf(0).length);
    expect(closed).toBe(false);
    control.keepReader(undefined);
    await closing;
    await waitUntil('the old generation is dropped', () => control.entries().length === 1);
    expect(control.changes).not.toContain('begin 1-3-3');
  });

  it('does not delay the end of the old one beyond the grace period', async () => {
    const { start, append, isLive, control } = newSetup();
    append();
    const old = start(1, { graceMs: 3 * checkEveryMs });
    await waitUntil('the old generation is live', () => isLive('1-1-1'));
    control.keepReader('1-1-1');
    start(2);
    await waitUntil('the new generation is live', () => isLive('2-2-2'));
    await waitUntil('the old projector knows that it is superseded', () =>
      old.notReady().some((trouble) => trouble.includes('superseded')),
    );
    let closed = false;
    const closing = old.close().then(() => {
      closed = true;
    });
    await pause(checkEveryMs);
    expect(closed).toBe(false);
    await waitUntil('the old projector ended all the same', () => closed);
    await closing;
    expect(control.awaited()).toEqual(['2-2-2', '1-1-1']);
  });

  it('makes the old one stop; the old one takes over again only after a restart', async () => {
    const { start, append, isLive, control } = newSetup();
    append();
    const old = start(1);
    await waitUntil('the old generation is live', () => isLive('1-1-1'));
    start(2);
    await waitUntil('the old generation is dropped', () => control.changes.includes('retire 1-1-1'));
    await waitUntil('the old projector reports that it is superseded', () =>
      old.notReady().some((trouble) => trouble.includes('superseded')),
    );
    await pause(2 * checkEveryMs);
    expect(control.changes).not.toContain('begin 1-3-3');
    await old.close();
    start(1);
    await waitUntil('the restarted projector takes over', () => isLive('1-3-3'));
  });

  it('that is started while its superseded generation is still read feeds it, and takes over later', async () => {
    const { start, append, isLive, control, log } = newSetup();
    append();
    const first = start(1);
    await waitUntil('the first generation is live', () => isLive('1-1-1'));
    control.keepReader('1-1-1');
    const second = start(2);
    await waitUntil('the second generation is live', () => isLive('2-2-2'));
    await first.close();
    const startedMs = performance.now();
    const third = start(1, { takeOverAfterMs: 6 * checkEveryMs });
    append();
    await waitUntil('the superseded generation is fed', () => isComplete(log, control.generation('1-1-1')));
    expect(third.notReady()).toContainEqual(expect.stringContaining('superseded'));
    await waitUntil('it takes over', () => isLive('1-3-3'));
    expect(performance.now() - startedMs).toBeGreaterThan(6 * checkEveryMs);
    await waitUntil('it is ready', () => third.notReady().length === 0);
    await waitUntil('the second one is superseded', () => second.notReady().some((problem) => problem.includes('superseded')));
    control.keepReader(undefined);
    await waitUntil('the other generations are dropped', () => control.entries().length === 1);
    expect(control.changes.filter((change) => change.startsWith('begin'))).toEqual(['begin 1-1-1', 'begin 2-2-2', 'begin 1-3-3']);
    expect(control.read()).toBe('1-3-3');
  });

  it('that is rolled back before a projector of the old version was stopped: the old one takes over, and not before', async () => {
    const { start, append, isLive, control } = newSetup();
    append();
    const takeOverAfterMs = 4 * checkEveryMs;
    const first = start(1, { takeOverAfterMs });
    await waitUntil('the first generation is live', () => isLive('1-1-1'));
    control.keepReader('1-1-1');
    const second = start(2);
    await waitUntil('the second generation is live', () => isLive('2-2-2'));
    const endMs = performance.now() + 2 * takeOverAfterMs;
    while (performance.now() < endMs) {
      append();
      await pause(checkEveryMs);
    }
    await second.close();
    append();
    await pause(2 * takeOverAfterMs);
    // Nothing moves any more, as if Kafka were unavailable.
    expect(control.changes).not.toContain('begin 1-3-3');
    append();
    await waitUntil('the first projector takes over', () => isLive('1-3-3'));
    await waitUntil('it is ready', () => first.notReady().length === 0);
  });

  it('that is restarted while it is being replaced does not take over before it is stopped', async () => {
    const { start, append, isLive, control } = newSetup();
    append();
    const first = start(1);
    await waitUntil('the first generation is live', () => isLive('1-1-1'));
    control.keepReader('1-1-1');
    start(2);
    await waitUntil('the second generation is live', () => isLive('2-2-2'));
    await first.close();
    const restarted = start(1);
    await waitUntil('it is superseded', () => restarted.notReady().some((problem) => problem.includes('superseded')));
    await pause(2 * checkEveryMs);
    control.keepReader(undefined);
    await restarted.close();
    expect(control.changes).not.toContain('begin 1-3-3');
    expect(control.read()).toBe('2-2-2');
  });
});
