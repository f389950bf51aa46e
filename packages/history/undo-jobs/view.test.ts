import { sampleEvents, sampleUndoLine } from '@waymark/domain/testing/samples.ts';
import type { UndoEvent } from '@waymark/domain/undo/events.ts';
import { operators } from '@waymark/event-log/seal.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { sealUndoEvent } from './stored-jobs.ts';
import { viewUndoJob } from './view.ts';

const { UndoStarted: started, UndoReported: reported, UndoEnded: ended } = sampleEvents;
const { account, undo } = started;
const lineOf = (object: string, outcome: 'undone' | 'kept') => ({ ...sampleUndoLine, object, outcome });

describe('an undo job as clients get it', () => {
  let log: Awaited<ReturnType<typeof logOfItsOwn>>;
  beforeAll(async () => {
    log = await logOfItsOwn();
    const facts: readonly UndoEvent[] = [
      started,
      { ...reported, lines: [lineOf('pinpoint-3', 'undone'), lineOf('application-a-b', 'kept')] },
      { ...reported, lines: [lineOf('happening-4', 'undone')] },
      ended,
    ];
    const events = facts.map((fact) => sealUndoEvent(fact, { account, origin: operators, isDryRun: false }));
    await log.append(`undo-${undo}`, events, 'none');
  });
  afterAll(() => log.close());

  it('has a page of its report for each of its stored reports', async () => {
    const [first, second] = [await viewUndoJob(log, account, undo, 1), await viewUndoJob(log, account, undo, 2)];
    expect(first).toMatchObject({
      job: { id: undo, status: 'done', reason: null, dry_run: false },
      report: { results: [{ object: { kind: 'pinpoints', id: 3 } }, { object: { kind: 'applications', id: 'a-b' } }] },
      next: 2,
    });
    expect(second).toMatchObject({ report: { results: [{ object: { kind: 'events', id: 4 } }] }, next: null });
    for (const page of [3, 4, 1_000]) expect(await viewUndoJob(log, account, undo, page)).toBeUndefined();
  });

  it('has counts also without the notes of its progress', async () => {
    const view = await viewUndoJob(log, account, undo, 1);
    expect(view?.report).toMatchObject({ changes: null, objects: 3, undone: 2, partly: 0, kept: 1, first: null, applications: [] });
    expect(view?.job).toMatchObject({ progress: { objects: 3, done: 3 } });
  });

  it('is only found by its account', async () => {
    expect(await viewUndoJob(log, 'another', undo, 1)).toBeUndefined();
    expect(await viewUndoJob(log, account, 'another', 1)).toBeUndefined();
  });
});
