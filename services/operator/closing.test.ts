import { createClusterWriteGate } from '@waymark/cluster-runtime/write-gate.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { newStream, someEvent } from '@waymark/event-log/testing/some-events.ts';
import { useTarget } from '@waymark/operations/testing/some-target.ts';
import { setWrites } from './closing.ts';
import type { PeerFigures } from './processes.ts';

describe('closing writes', () => {
  const lastsMs = 1_000;
  const peer = (name: string, figures: object): PeerFigures => ({ name, operator: '', ready: true, missing: [], ...figures });
  const gateway = peer('gateway', { service: 'query-gateway' });
  const commands = (writes: string) => peer('commands', { service: 'commands', writes });

  /** Closes writes while the processes answer so, one after the other.
   * @returns how often they were asked, and how long it took */
  const closedWith = async (answers: readonly (readonly PeerFigures[])[]) => {
    let asked = 0;
    const writes = { set: async () => undefined, state: async () => 'closed' as const };
    const figures = async () => answers[Math.min(asked++, answers.length - 1)] ?? [];
    const sinceMs = performance.now();
    await setWrites({ writes, figures, lastsMs }, false);
    return { asked, tookMs: performance.now() - sinceMs };
  };

  it.each<readonly [string, readonly PeerFigures[]]>([
    ['all processes report that they do not write', [gateway, commands('closed')]],
    ['a process does not respond', [peer('commands', { ready: false, missing: ['It does not answer.'] })]],
    ['no process is known', []],
  ])('lasts as long as any process could still write, also where %s', async (_, figures) => {
    expect((await closedWith([figures])).tookMs).toBeGreaterThanOrEqual(lastsMs);
  });

  it('waits longer for processes that still write', async () => {
    const writing = Array.from({ length: 8 }, () => [gateway, commands('open')]);
    expect((await closedWith([...writing, [gateway, commands('unknown')], [gateway, commands('closed')]])).asked).toBe(10);
  });
});

describe('closing writes, beside processes that the operator does not know', () => {
  const target = useTarget();
  const newGate = async (log: EventLog) =>
    createClusterWriteGate({ log, incarnation: (await log.state()).incarnation, furthest: () => undefined });
  const figures = async () => [];

  it('resolves after the last append of a process that knew writes to be open', async () => {
    const log = target.log();
    const [own, unknown] = [await newGate(log), await newGate(log)];
    const gated = unknown.gated(log);
    let isClosed = false;
    let appendedAfter = 0;
    let refused = 0;
    const writing = (async () => {
      while (refused === 0) {
        const isLate = isClosed;
        await gated.append(newStream(), [someEvent()], 'none').then(
          () => {
            appendedAfter += isLate ? 1 : 0;
          },
          () => {
            refused += 1;
          },
        );
      }
    })();
    await setWrites({ writes: own, figures, lastsMs: 1_500 }, false);
    isClosed = true;
    const { head } = await log.state();
    await writing;
    expect([appendedAfter, (await log.state()).head]).toEqual([0, head]);
  });

  it('counts for a process from its first write', async () => {
    const log = target.log();
    await setWrites({ writes: await newGate(log), figures, lastsMs: 0 }, false);
    const started = await newGate(log);
    await expect(started.gated(log).append(newStream(), [someEvent()], 'none')).rejects.toThrow('Writes are closed.');
  });
});
