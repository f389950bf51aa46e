import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import {
  added,
  happeningCreated,
  happeningMoved,
  listCreated,
  listDeleted,
  listRestored,
  mine,
  numbers,
  pinpointCreated,
  removed,
} from '@waymark/read-models/testing/facts.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import SQLite from 'better-sqlite3';
import { answer } from '../reading/answer.ts';
import type { Question, Reply } from '../reading/questions.ts';
import { counted } from '../testing/counted-statements.ts';
import { openSqliteHistory } from './history.ts';
import { sqliteReads } from './reads.ts';

const newFile = temporaryFiles();
const rounds = 2_500;
const members = 40;

/** Asks a question, and counts the index entries that the answer reads. */
const ask = async (events: readonly RecordedEvent[], question: Question): Promise<{ readonly reply: Reply; readonly reads: number }> => {
  const file = newFile();
  const history = openSqliteHistory(file);
  await applyAll(history.apply, events, [1_000]);
  await history.close();
  const db = new SQLite(file, { readonly: true });
  const counting = counted(db);
  const reply = await answer(sqliteReads(counting.db), question);
  db.close();
  return { reply, reads: counting.reads() };
};

/** The question for the last page of an object's history. */
const lastPage = (stream: string): Question => ({
  ...{ type: 'history', account: mine, stream, base: '' },
  ...{ before: Number.MAX_SAFE_INTEGER, limit: 20 },
});

const eventsOf = (facts: readonly DomainEvent[]): readonly RecordedEvent[] => {
  const { record } = recorder();
  return facts.map((fact) => record(mine, fact));
};

const again = (facts: readonly DomainEvent[]): readonly DomainEvent[] => numbers(1, rounds).flatMap(() => facts);

describe('an answer reads few index entries, however much happened', () => {
  it('to the question which members of a list differ, where its members came and left thousands of times', async () => {
    const created = [listCreated(1), ...numbers(1, members).map((id) => pinpointCreated(id)), added(1, ...numbers(1, 10))];
    const events = eventsOf([...created, ...again([added(1, 20), removed(1, 20)]), added(1, 30), removed(1, 7)]);
    const question = {
      type: 'diff',
      account: mine,
      stream: 'list-1',
      base: '',
      from: 1,
      to: 2 * rounds + 3,
      beyond: 0,
      limit: 20,
    } as const;
    const { reply, reads } = await ask(events, question);
    expect(reply).toMatchObject({ outcome: 'part', next: null });
    expect(JSON.parse(`${'text' in reply ? reply.text : ''}}`)).toMatchObject({ members: { added: [30], removed: [7] } });
    expect(reads).toBeLessThan(300);
  });

  it('to the question what happened to a pinpoint whose list was deleted and restored thousands of times', async () => {
    const created = [pinpointCreated(1), listCreated(1), added(1, 1)];
    const events = eventsOf([...created, ...again([listDeleted(1), listRestored(1)])]);
    const { reply, reads } = await ask(events, lastPage('pinpoint-1'));
    expect('items' in reply && reply.items).toHaveLength(20);
    expect(reads).toBeLessThan(500);
  });

  it('to the question what happened to a pinpoint that was in thousands of lists', async () => {
    const lists = numbers(1, 4 * rounds);
    const events = eventsOf([pinpointCreated(1), ...lists.flatMap((id) => [listCreated(id), added(id, 1)]), listDeleted(7)]);
    const { reply, reads } = await ask(events, lastPage('pinpoint-1'));
    expect('items' in reply && reply.items.map((text) => JSON.parse(`${text}`).action)).toEqual(
      expect.arrayContaining(['list_deleted', 'added_to_list']),
    );
    expect(reads).toBeLessThan(25_000);
  });

  it('to the question what happened to a happening that was moved among thousands of pinpoints', async () => {
    const pinpoints = numbers(1, rounds);
    const moves = pinpoints.slice(1).map((pinpoint) => happeningMoved(1, pinpoint));
    const events = eventsOf([...pinpoints.map((id) => pinpointCreated(id)), happeningCreated(1, 1), ...moves]);
    const { reply, reads } = await ask(events, lastPage('happening-1'));
    expect('items' in reply && reply.items).toHaveLength(20);
    expect(reads).toBeLessThan(1_000);
  });
});
