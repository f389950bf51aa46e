import { undoingStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { LeaseLost } from '@waymark/event-log/lease.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { noProgress, undoNoteIn } from '@waymark/history/undo-jobs/notes.ts';
import { takeUndoLease } from './lease.ts';
import { leaseMs } from './limits.ts';

describe('the lease of an undo job', () => {
  let log: Awaited<ReturnType<typeof logOfItsOwn>>;
  beforeAll(async () => {
    log = await logOfItsOwn();
  });
  afterAll(() => log.close());

  const notes = async (undo: string) => (await log.read(undoingStream(undo), 0)).map((event) => undoNoteIn(event)?.holder ?? null);

  it('is held by one process, until it is released', async () => {
    const lease = await takeUndoLease(log, 'a', false);
    expect(await takeUndoLease(log, 'a', false)).toBeUndefined();
    await lease?.release({ ...noProgress, objects: 7 });
    const other = await takeUndoLease(log, 'a', false);
    expect(other).toBeDefined();
    await other?.close();
    expect(new Set(await notes('a')).size).toBe(3);
  });

  it('is renewed, so that a job may take longer than the lease', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask'] });
    const lease = await takeUndoLease(log, 'b', false);
    jest.advanceTimersByTime(leaseMs * 3);
    await lease?.note(noProgress);
    expect(await takeUndoLease(log, 'b', false)).toBeUndefined();
    expect((await notes('b')).length).toBeGreaterThan(leaseMs / 1_000);
    jest.useRealTimers();
    await lease?.close();
  });

  it('ends without renewals, and is lost once another process has taken it', async () => {
    const lease = await takeUndoLease(log, 'c', false);
    await lease?.close();
    const later: Pick<EventLog, 'read'> = {
      read: async (...of) =>
        (await log.read(...of)).map((event) => ({ ...event, envelope: { ...event.envelope, time: '2026-06-01T08:00:00.000Z' } })),
    };
    const other = await takeUndoLease({ ...log, ...later }, 'c', false);
    expect(other).toBeDefined();
    await expect(lease?.note(noProgress)).rejects.toThrow(LeaseLost);
    expect(() => lease?.progressed(noProgress)).toThrow(LeaseLost);
    await other?.close();
  });

  it('of an ended process does not count where no other process uses the log', async () => {
    const lease = await takeUndoLease(log, 'd', true);
    await lease?.close();
    expect(await takeUndoLease(log, 'd', false)).toBeUndefined();
    const next = await takeUndoLease(log, 'd', true);
    expect(next).toBeDefined();
    await next?.close();
  });
});
