import type { DomainEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { transactions } from '@waymark/read-models/mongodb/transactions.ts';
import { added, happeningCreated, listCreated, mine, numbers, pinpointCreated, removed } from '@waymark/read-models/testing/facts.ts';
import { explained, type Plan, stagesOf } from '@waymark/read-models/testing/plans.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import type { HistoryReads } from '../history.ts';
import { accountSet } from '../sets.ts';
import { ownHistory } from '../testing/mongodb.ts';
import type { Collections } from './collections.ts';
import { createReads } from './reads.ts';
import { openSnapshot } from './snapshot.ts';

const end = Number.MAX_SAFE_INTEGER;
const correlation = '5f1d7d0e-8f5c-4c0e-9a7e-2f6b1c3d4e5f';
const objects = accountSet(mine, 'pinpoint');
/** A limit that only catches hangs. */
const withinMs = 300_000;

/** Returns the stages that read more than necessary: anything but ranges of an index, in its order, that begin with given values. */
const slowStages = (plan: Plan): string[] =>
  stagesOf(plan).flatMap(({ stage, filter, indexBounds }) => {
    if (!/^(LIMIT|FETCH|IXSCAN|IDHACK|EXPRESS_IXSCAN|PROJECTION_\w+)$/.test(stage)) return [stage];
    if (filter !== undefined) return [`${stage} filters ${JSON.stringify(filter)}`];
    const [first] = Object.entries(indexBounds ?? {});
    return first === undefined || first[1].every(isPoint) ? [] : [`${stage} walks ${first.join()}`];
  });

const isPoint = (bound: string): boolean => {
  const [from, to] = bound.slice(1, -1).split(', ');
  return from === to;
};

describeOn(['mongodb'], 'the queries of a history in MongoDB', () => {
  const database = ownHistory();
  let collections: Collections;

  beforeAll(async () => {
    const { record } = recorder();
    const edit = (nth: number): DomainEvent => ({ ...sampleEvents.PinpointEdited, pinpoint: 1, fields: { name: `Name ${nth}` } });
    const facts = [
      ...numbers(1, 60).map((id) => pinpointCreated(id)),
      listCreated(1),
      ...numbers(1, 60).map(edit),
      ...numbers(1, 30).flatMap(() => [added(1, 1), removed(1, 1)]),
      ...numbers(1, 30).map((id) => happeningCreated(id, 1)),
    ];
    const name = await database.fresh();
    collections = database.collections(name);
    const generation = database.history().generation(name);
    await applyAll(
      generation.history.apply,
      facts.map((fact) => record(mine, fact)),
    );
  });

  it.each<[string, (reads: HistoryReads) => Promise<unknown>]>([
    ['entries', ({ entries }) => entries('pinpoint-1', end, 20)],
    ['entries on a deep page', ({ entries }) => entries('pinpoint-1', 80, 20)],
    ['entriesAt', ({ entriesAt }) => entriesAt('pinpoint-1', [1, 5, 7])],
    ['values', ({ values }) => values('pinpoint-1', [1, 5, 7])],
    ['entriesAtPositions', ({ entriesAtPositions }) => entriesAtPositions([1, 5, 7])],
    ['lastEntries', ({ lastEntries }) => lastEntries(['pinpoint-1', 'pinpoint-2'], end - 1)],
    ['lastEntries at an earlier position', ({ lastEntries }) => lastEntries(['pinpoint-1', 'pinpoint-2'], 80)],
    ['relationChanges', ({ relationChanges }) => relationChanges('pinpoint-1', end, 20)],
    ['intervalsOf', ({ intervalsOf }) => intervalsOf('pinpoint-1', { after: 40, through: end })],
    ['intervalsIn', ({ intervalsIn }) => intervalsIn('list-1', 1, { after: 40, through: 90 })],
    ['intervalsAt', ({ intervalsAt }) => intervalsAt('list-1', [1, 2, 3], 90)],
    ['setsAt', ({ setsAt }) => setsAt('pinpoint-1', 90, 20)],
    ['itemsAt', ({ itemsAt }) => itemsAt(objects, { at: end - 1, beyond: 0, direction: 'forward', items: 1, reads: 100 })],
    [
      'itemsAt at an early position',
      ({ itemsAt }) => itemsAt(objects, { at: 1, beyond: 100, direction: 'backward', items: 5, reads: 100 }),
    ],
    [
      'intervalsIn of several items',
      ({ intervalsIn }) => Promise.all([1, 2].map((item) => intervalsIn('list-1', item, { after: 40, through: 90 }))),
    ],
    ['erased', ({ erased }) => erased('pinpoint-1')],
  ])('%s read ranges of an index that begin with what is asked for', async (_, read) => {
    const asked = await explained(database.client(), database.name, () => readOnly(read));
    expect(asked.length).toBeGreaterThan(0);
    for (const { question, plan } of asked) {
      expect([question, slowStages(plan)]).toEqual([question, []]);
      expect(stagesOf(plan).some(({ stage }) => /IXSCAN|IDHACK/.test(stage))).toBe(true);
    }
  });

  it('the entries of an operation are read from the index of correlations', async () => {
    const query = { before: end, sinceMs: 0, untilMs: null, filter: { correlation }, entries: 20, reads: 100 };
    const asked = await explained(database.client(), database.name, () => readOnly(({ activity }) => activity(mine, query)));
    const ofOperation = asked.filter(({ question }) => question.includes(`"chosen":{"$eq":"${correlation}"`));
    expect(ofOperation).toHaveLength(2);
    for (const { plan } of ofOperation) {
      const bounds = stagesOf(plan).flatMap(({ indexBounds }) => Object.entries(indexBounds ?? {}));
      expect(bounds.slice(0, 2)).toEqual([
        ['chosen', [expect.stringContaining(correlation)]],
        ['account', [expect.stringContaining(mine)]],
      ]);
    }
  });

  /** Reads through the client whose commands are explained. */
  const readOnly = (read: (reads: HistoryReads) => Promise<unknown>) =>
    transactions(database.client())(withinMs, (at) => read(createReads(openSnapshot(collections, at))));
});
