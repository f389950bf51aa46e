import type { RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { accounts, histories } from '@waymark/read-models/testing/histories.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import fc from 'fast-check';
import type { HistoryReads } from '../../history.ts';
import { openSqliteHistory } from '../../sqlite/history.ts';
import { answer } from '../answer.ts';
import type { UndoScope } from './undo-questions.ts';

const newFile = temporaryFiles();
const everything: UndoScope = { correlation: null, application: null, sinceMs: 0, untilMs: null, through: Number.MAX_SAFE_INTEGER };
const job = 'the job';

const readFrom = async <Value>(events: readonly RecordedEvent[], use: (reads: HistoryReads) => Promise<Value>): Promise<Value> => {
  const history = openSqliteHistory(newFile());
  await applyAll(history.apply, events);
  const value = await history.read(use);
  await history.close();
  return value;
};

const withOrigin = (event: RecordedEvent, correlation: string, actor = 'app'): RecordedEvent => ({
  ...event,
  envelope: { ...event.envelope, correlation, actor },
});

const withCause = (event: RecordedEvent, cause: string): RecordedEvent => ({ ...event, envelope: { ...event.envelope, cause } });

/** Returns the names of all changes in a scope, part by part, oldest first. */
const walk = async (reads: HistoryReads, account: string, scope: UndoScope, limit: number): Promise<readonly string[]> => {
  const found: string[] = [];
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null; ) {
    const reply = await answer(reads, { type: 'undo-scope', account, scope, before, limit });
    if (reply.outcome !== 'undo-scope') throw new Error(reply.outcome);
    found.push(...reply.changes.map(({ stream, revision }) => `${stream} ${revision}`));
    before = reply.next;
  }
  return found.toReversed();
};

describe('the changes in a scope', () => {
  it('are all those of a correlation, or of an application, up to a position', async () => {
    await fc.assert(
      fc.asyncProperty(histories({ minLength: 10, maxLength: 60 }), fc.integer({ min: 1, max: 7 }), fc.nat(), async (made, limit, pick) => {
        const events = made.events.map((event, nth) => withOrigin(event, `${nth % 3}`, `app-${nth % 2}`));
        const through = events[pick % Math.max(1, events.length)]?.position ?? 0;
        await readFrom(events, async (reads) => {
          for (const account of accounts) {
            const own = events.filter(({ envelope, position }) => envelope.account === account && position <= through);
            const namesOf = (chosen: readonly RecordedEvent[]) => chosen.map(({ stream, revision }) => `${stream} ${revision}`);
            expect(await walk(reads, account, { ...everything, correlation: '1', through }, limit)).toEqual(
              namesOf(own.filter(({ envelope }) => envelope.correlation === '1')),
            );
            expect(await walk(reads, account, { ...everything, application: 'app-1', through }, limit)).toEqual(
              namesOf(own.filter(({ envelope }) => envelope.actor === 'app-1')),
            );
          }
        });
      }),
      { numRuns: 50, endOnFailure: true },
    );
  });
});

describe('a pinpoint that was created', () => {
  const { PinpointCreated, ListCreated, PinpointsAdded } = sampleEvents;
  const { account } = PinpointCreated;
  const scope = { ...everything, correlation: 'import' };

  /** Returns whether the undo of the creation finds that others use the pinpoint, once it was added to a list by an operation. */
  const isUsed = (addedBy: string, isJob: boolean): Promise<unknown> => {
    const { record } = recorder();
    const events = [
      withOrigin(record(account, PinpointCreated), 'import'),
      withOrigin(record(account, ListCreated), 'other'),
      withCause(withOrigin(record(account, PinpointsAdded), addedBy), addedBy),
    ];
    return readFrom(events, async (reads) => {
      const asked = { type: 'undoable', account, stream: 'pinpoint-12', revisions: [0] } as const;
      const reply = await answer(reads, isJob ? { ...asked, job: { scope, cause: job } } : asked);
      return reply.outcome === 'undoable' ? reply.changes.presence?.isUsedSince : reply.outcome;
    });
  };

  it('is in use if another operation has added it to a list', async () => {
    expect(await isUsed('other', true)).toBe(true);
    expect(await isUsed('import', false)).toBe(true);
  });

  it('is not in use for a job that undoes the membership, too, or that has ended it', async () => {
    expect(await isUsed('import', true)).toBe(false);
    expect(await isUsed(job, true)).toBe(false);
  });
});
