import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { newStream, someEvent } from '@waymark/event-log/testing/some-events.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import type { Verdict } from './known-facts.ts';
import { type ClusterWriteGate, type ClusterWriteGateOptions, createClusterWriteGate, writeGateKnownMs } from './write-gate.ts';

describe('writes of a cluster', () => {
  let directory: string;
  let log: Awaited<ReturnType<typeof openSqliteEventLog>>;
  let incarnation: string;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-writes-'));
    log = await openSqliteEventLog({ file: join(directory, 'log.db') });
    incarnation = (await log.state()).incarnation;
  });
  afterEach(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });

  const process = (options: Partial<ClusterWriteGateOptions> = {}): ClusterWriteGate =>
    createClusterWriteGate({ log, incarnation, furthest: () => undefined, ...options });
  const append = (writes: ClusterWriteGate, target: EventLog = log) => writes.gated(target).append(newStream(), [someEvent()], 'none');
  const at = (position: number): ReadPosition => ({ incarnation, position, event: '' });

  it('are accepted by default', async () => {
    const writes = process();
    expect(await append(writes)).toMatchObject({ outcome: 'appended' });
    expect([await writes.refusal(), await writes.closed(), await writes.state(), await writes.rolledBack()]).toEqual([
      undefined,
      false,
      'open',
      undefined,
    ]);
  });

  it('are refused by a starting process once they are closed, and accepted once they are opened', async () => {
    await process().set(false);
    const other = process();
    await expect(append(other)).rejects.toThrow(LogUnavailable);
    expect(await other.refusal()).toBe('Writes are closed.');
    expect([await other.closed(), await other.state()]).toEqual([true, 'closed']);
    await process().set(true);
    expect(await append(process())).toMatchObject({ outcome: 'appended' });
  });

  it('are closed and opened once by repeated requests', async () => {
    for (const open of [true, false, false, true, true, false]) await process().set(open);
    const events = await log.read('writes', 0);
    expect(events.map(({ envelope }) => envelope.type)).toEqual(['WritesClosed', 'WritesOpened', 'WritesClosed']);
  });

  it('are refused after a short time by a process that knew them to be open', async () => {
    const writes = process();
    await append(writes);
    await process().set(false);
    await new Promise((resolve) => setTimeout(resolve, writeGateKnownMs + 50));
    await expect(append(writes)).rejects.toThrow('Writes are closed.');
  });

  it('are not reported as closed before the appends in progress have ended', async () => {
    let settle = (): void => undefined;
    const slow: EventLog = {
      ...log,
      append: async (...order) => {
        await new Promise<void>((resolve) => {
          settle = resolve;
        });
        return log.append(...order);
      },
    };
    const writes = process();
    const appending = append(writes, slow);
    await new Promise(setImmediate);
    await writes.set(false);
    expect(await writes.state()).toBe('open');
    settle();
    await appending;
    expect(await writes.state()).toBe('closed');
  });

  it('are refused if the log ends before data that was computed from it, and if it has another incarnation', async () => {
    await append(process());
    const { head } = await log.state();
    const put = process({ furthest: () => at(head + 1) });
    await expect(append(put)).rejects.toThrow('waymark renew');
    expect(await put.rolledBack()).toContain('waymark renew');
    expect(await append(process({ furthest: () => at(head) }))).toMatchObject({ outcome: 'appended' });
    expect(await append(process({ furthest: () => ({ ...at(head + 9), incarnation: 'older' }) }))).toMatchObject({ outcome: 'appended' });
    await expect(append(process({ incarnation: 'older' }))).rejects.toThrow('another incarnation');
  });

  it('are refused if the known facts go beyond the log, and while they have not been read', async () => {
    const refused = (verdict: Verdict) => process({ facts: { snapshot: () => async () => verdict } });
    await expect(append(refused('rolled back'))).rejects.toThrow('waymark renew');
    expect(await refused('rolled back').refusal()).toContain('waymark renew');
    expect(await refused('rolled back').rolledBack()).toContain('waymark renew');
    await expect(append(refused('unread'))).rejects.toThrow('have not been read yet');
    expect(await refused('unread').rolledBack()).toContain('have not been read yet');
    expect(await append(refused('fits'))).toMatchObject({ outcome: 'appended' });
  });

  it('are accepted only after the log was compared with facts that were read before it', async () => {
    const order: string[] = [];
    const state: EventLog['state'] = async () => {
      order.push('log');
      return log.state();
    };
    const facts: ClusterWriteGateOptions['facts'] = {
      snapshot: () => {
        order.push('facts');
        return async () => {
          order.push('compared');
          return 'fits';
        };
      },
    };
    await append(process({ log: { ...log, state }, facts }));
    expect(order).toEqual(['facts', 'log', 'compared']);
  });

  it('are accepted only on a state that is recent: a slow log is asked again, a few times', async () => {
    let slowTimes = 2;
    let asked = 0;
    const state: EventLog['state'] = async () => {
      asked += 1;
      const now = await log.state();
      if (slowTimes-- > 0) await new Promise((resolve) => setTimeout(resolve, writeGateKnownMs + 50));
      return now;
    };
    expect(await append(process({ log: { ...log, state } }))).toMatchObject({ outcome: 'appended' });
    expect(asked).toBe(3);
    slowTimes = 3;
    const slow = process({ log: { ...log, state } });
    await expect(append(slow)).rejects.toThrow('too slowly');
    expect(await append(slow)).toMatchObject({ outcome: 'appended' });
  });

  it('are refused by a process that read the stream before they were closed, and got the answer late', async () => {
    let answer = (): void => undefined;
    const state: EventLog['state'] = async () => {
      const now = await log.state();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return now;
    };
    let read = state;
    const late = process({ log: { ...log, state: () => read() } });
    const appending = append(late);
    await new Promise((resolve) => setTimeout(resolve, writeGateKnownMs + 50));
    await process().set(false);
    read = log.state;
    answer();
    await expect(appending).rejects.toThrow('Writes are closed.');
  });

  it('have an unknown state while the log is unavailable', async () => {
    const unavailable = process({ log: { ...log, state: () => Promise.reject(new LogUnavailable('away')) } });
    expect(await unavailable.state()).toBe('unknown');
    await expect(append(unavailable)).rejects.toThrow(LogUnavailable);
  });

  it('make a process not ready until the log has answered once', async () => {
    let state: EventLog['state'] = () => new Promise(() => undefined);
    const slow = process({ log: { ...log, state: () => state() } });
    expect(await slow.rolledBack()).toContain('have not been read yet');
    state = () => Promise.reject(new LogUnavailable('away'));
    const unavailable = process({ log: { ...log, state: () => state() } });
    expect(await unavailable.rolledBack()).toContain('have not been read yet');
    state = log.state;
    expect(await unavailable.rolledBack()).toBeUndefined();
    await unavailable.set(true);
    state = () => Promise.reject(new LogUnavailable('away'));
    expect(await unavailable.rolledBack()).toBeUndefined();
  });
});
