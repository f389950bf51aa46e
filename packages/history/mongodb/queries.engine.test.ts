import type { DomainEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { transactions } from '@waymark/read-models/mongodb/transactions.ts';
import { added, happeningCreated, listCreated, mine, numbers, pinpointCreated, removed } from '@waymark/read-models/testing/facts.ts';
import { applyAll, at, recorder } from '@waymark/read-models/testing/recorder.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import type { CommandStartedEvent } from 'mongodb';
import { answer } from '../reading/answer.ts';
import type { Question, Reply } from '../reading/questions.ts';
import { ownHistory } from '../testing/mongodb.ts';
import type { Collections } from './collections.ts';
import { createReads } from './reads.ts';
import { openSnapshot } from './snapshot.ts';

const end = Number.MAX_SAFE_INTEGER;
const base = 'http://x';
/** A limit that only catches hangs. */
const withinMs = 300_000;

describeOn(['mongodb'], 'answers from a history in MongoDB', () => {
  const database = ownHistory();
  let collections: Collections;
  let early = 0;

  beforeAll(async () => {
    const { record } = recorder();
    const edit = (pinpoint: number, nth: number): DomainEvent => ({
      ...sampleEvents.PinpointEdited,
      pinpoint,
      fields: nth % 2 === 0 ? { name: `Name ${nth}` } : { address: `Street ${nth}` },
    });
    const created = [
      record(mine, { ...sampleEvents.ApplicationRegistered, account: mine, application: 'app-1' }),
      record(mine, { ...sampleEvents.ChangesetOpened, account: mine }),
      ...[...numbers(1, 60).map((id) => pinpointCreated(id)), listCreated(1)].map((fact) => record(mine, fact)),
      record(mine, added(1, ...numbers(1, 60))),
      ...numbers(1, 60).map((id) => record(mine, happeningCreated(id, id))),
    ];
    const later = [
      ...numbers(1, 60).map((nth) => edit(1, nth)),
      ...numbers(1, 60).map((id) => edit(id, id)),
      ...numbers(1, 60).map((id) => removed(1, id)),
    ].map((fact) => record(mine, fact));
    early = at(created.at(-1) ?? raise()).position;
    const name = await database.fresh();
    collections = database.collections(name);
    await applyAll(database.history().generation(name).history.apply, [...created, ...later]);
  });

  /** Returns the reply to a question, and the number of queries that it took. */
  const asked = async (question: Question): Promise<{ readonly reply: Reply; readonly queries: number }> => {
    let queries = 0;
    const listen = ({ commandName }: CommandStartedEvent): void => {
      if (commandName === 'find' || commandName === 'getMore') queries += 1;
    };
    database.client().on('commandStarted', listen);
    try {
      const reply = await transactions(database.client())(withinMs, async (context) => {
        const snapshot = openSnapshot(collections, context);
        const found = await answer(createReads(snapshot), question);
        await snapshot.check();
        return found;
      });
      return { reply, queries };
    } finally {
      database.client().off('commandStarted', listen);
    }
  };

  const subject = { account: mine, base, stream: 'pinpoint-1' };
  const asOf = (kind: 'pinpoint' | 'happening', within: number | null = null) =>
    ({
      type: 'as-of',
      account: mine,
      base,
      moment: { position: early, event: '' },
      read: { type: 'page', query: { account: mine, kind, within, direction: 'forward', from: 5, limit: 20 } },
    }) as const;

  it.each<[string, () => Question, number]>([
    ['a page of a history', () => ({ type: 'history', ...subject, before: end, limit: 20 }), 11],
    ['a version', () => ({ type: 'version', ...subject, revision: 40 }), 4],
    ['blame', () => ({ type: 'blame', ...subject }), 6],
    ['a page as of a moment', () => asOf('pinpoint'), 6],
    ['a page of members as of a moment', () => asOf('pinpoint', 1), 8],
    ['a page of happenings as of a moment', () => asOf('happening'), 7],
    ['a page of activity', () => activityBefore(end), 7],
    [
      'the members between two versions of a list',
      () => ({ type: 'diff', account: mine, base, stream: 'list-1', from: 1, to: 60, beyond: 0, limit: 20 }),
      11,
    ],
  ])('take few queries, whatever the number of items: %s', async (_, question, queriesMax) => {
    const { reply, queries } = await asked(question());
    expect(reply).toMatchObject({ outcome: expect.stringMatching(/^(page|found|as-of-page|part)$/) });
    if ('items' in reply) expect(reply.items).toHaveLength(20);
    expect(queries).toBeLessThanOrEqual(queriesMax);
  });
});

const activityBefore = (before: number): Question => ({
  type: 'activity',
  account: mine,
  base,
  before,
  sinceMs: 0,
  untilMs: null,
  filter: {},
  limit: 20,
});

const raise = (): never => {
  throw new Error('There are no events.');
};
