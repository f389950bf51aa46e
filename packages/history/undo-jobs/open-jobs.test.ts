import { undosStream } from '@waymark/domain/streams.ts';
import { readEventsMax } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import fc from 'fast-check';
import { createOpenUndos } from './open-jobs.ts';

describe('the list of undo jobs', () => {
  let log: Awaited<ReturnType<typeof logOfItsOwn>>;
  beforeEach(async () => {
    log = await logOfItsOwn();
  });
  afterEach(() => log.close());

  /** Returns the open jobs as a process that starts now reads them, and the revisions from which on it reads. */
  const readByNewProcess = async () => {
    const reads: number[] = [];
    const read: typeof log.read = (stream, from) => {
      reads.push(from);
      return log.read(stream, from);
    };
    const open = createOpenUndos({ ...log, read });
    await open.update();
    return { jobs: [...open.jobs.keys()].sort(), reads };
  };

  it('is read from the oldest job that has not ended', async () => {
    const open = createOpenUndos(log);
    for (let nth = 0; nth < readEventsMax; nth += 1) for (const ended of [false, true]) await open.list(`${nth}`, 'a', ended);
    expect(await readByNewProcess()).toEqual({ jobs: [], reads: [2 * readEventsMax - 1, 2 * readEventsMax - 1] });
    await open.list('open', 'a', false);
    for (const ended of [false, true]) await open.list('other', 'a', ended);
    const { jobs, reads } = await readByNewProcess();
    expect(jobs).toEqual(['open']);
    expect(Math.min(...reads)).toBe(2 * readEventsMax);
  });

  /** Returns the jobs that are open after all events of the list. */
  const readWhole = async (): Promise<readonly string[]> => {
    const jobs = new Set<string>();
    for await (const { content } of readEvents(log.read, undosStream)) {
      const { undo, ended } = JSON.parse(content ?? '');
      jobs[ended ? 'delete' : 'add'](undo);
    }
    return [...jobs].sort();
  };

  it('has each open job, however processes start and end jobs at the same time', async () => {
    const step = fc.record({ by: fc.nat(2), job: fc.uuid(), ended: fc.boolean(), waits: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const processes = Array.from({ length: 3 }, () => createOpenUndos(log));
        const listing: Promise<void>[] = [];
        for (const { by, job, ended, waits } of steps) {
          for (const end of ended ? [false, true] : [false]) listing.push(processes[by]?.list(job, 'a', end) ?? Promise.resolve());
          if (waits) await Promise.all(listing.splice(0));
        }
        await Promise.all(listing);
        expect((await readByNewProcess()).jobs).toEqual(await readWhole());
      }),
      { numRuns: 30 },
    );
  });
});
