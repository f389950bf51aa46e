import type { DomainEvent } from '@waymark/domain/event.ts';
import type { PageQuery } from '@waymark/domain/pages.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import type { ReadModels } from '../read-models.ts';
import {
  added,
  happeningCreated,
  happeningDeleted,
  listCreated,
  mine,
  numbers,
  pinpointCreated,
  pinpointDeleted,
} from '../testing/facts.ts';
import { ownDatabase } from '../testing/mongodb.ts';
import { at, beginning, recorder } from '../testing/recorder.ts';
import type { Generation } from './read-side.ts';

/** The number of items that are shown at every moment: each transaction adds one and removes the oldest. */
const shown = 30;
const steps = 60;
/** A pinpoint that is never deleted; the happenings are at it. */
const rock = 1;
const firstMoving = 2;

/** Returns a function that makes one step. After it, the ids from `oldest` on are shown. */
const begin = async ({ models }: Generation): Promise<(oldest: number) => Promise<void>> => {
  const { record } = recorder();
  const ids = numbers(firstMoving, firstMoving + shown - 1);
  const facts = [
    pinpointCreated(rock),
    listCreated(1),
    ...ids.flatMap((id) => [pinpointCreated(id), added(1, id), happeningCreated(id, rock)]),
  ];
  let reached = beginning;
  const applyEvents = async (told: readonly DomainEvent[]): Promise<void> => {
    const events = told.map((fact) => record(mine, fact));
    const to = events.map(at).at(-1) ?? reached;
    expect(await models.apply(0, reached.position, events, to)).toBe(true);
    reached = to;
  };
  await applyEvents(facts);
  return (oldest) => {
    const [gone, next] = [oldest - 1, oldest + shown - 1];
    return applyEvents([
      pinpointCreated(next),
      added(1, next),
      happeningCreated(next, rock),
      pinpointDeleted(gone),
      happeningDeleted(gone),
    ]);
  };
};

/** Reads repeatedly while steps are applied, and in any case waits for the steps to end. */
const meanwhile = async (step: (oldest: number) => Promise<void>, look: () => Promise<void>): Promise<void> => {
  let isOver = false;
  const written = (async () => {
    for (const oldest of numbers(firstMoving + 2, firstMoving + steps)) if (!isOver) await step(oldest);
  })().finally(() => {
    isOver = true;
  });
  try {
    while (!isOver) await look();
  } finally {
    isOver = true;
    await written;
  }
};

describeOn(['mongodb'], 'a page of MongoDB read models', () => {
  const database = ownDatabase();
  const page: PageQuery = { kind: 'pinpoint', account: mine, within: null, direction: 'forward', from: 0, limit: 100 };

  const look = async (models: ReadModels, query: PageQuery): Promise<readonly number[]> => {
    const { items } = await models.page(query);
    expect(items.every(({ text }) => text !== '')).toBe(true);
    return items.map(({ id }) => id).filter((id) => query.kind !== 'pinpoint' || id !== rock);
  };

  it.each<[string, Partial<PageQuery>]>([
    ['of an account', {}],
    ['of an account, after a deleted item', { from: firstMoving }],
    ['of an account, backward from beyond the end', { direction: 'backward', from: 2 ** 40 }],
    ['of a list', { within: 1 }],
    ['of a list, backward', { within: 1, direction: 'backward', from: 2 ** 40 }],
    ['of happenings', { kind: 'happening', within: rock }],
    ['of all happenings', { kind: 'happening' }],
  ])('%s is read at one moment, whatever is applied meanwhile', async (_, asked) => {
    const generation = await database.fresh();
    const step = await begin(generation);
    await step(firstMoving + 1);
    let latest = 0;
    await meanwhile(step, async () => {
      const ids = await look(generation.models, { ...page, ...asked });
      const [oldest = 0] = ids;
      expect(ids).toEqual(numbers(oldest, oldest + shown - 1));
      expect(oldest).toBeGreaterThanOrEqual(latest);
      latest = oldest;
    });
    await database.readSide().generations.retire(generation.name);
  });

  it('and the result of a membership request are each read at one moment', async () => {
    const generation = await database.fresh();
    const step = await begin(generation);
    await step(firstMoving + 1);
    await meanwhile(step, async () => {
      const { list, members, pinpoints } = await generation.models.membership(1, numbers(firstMoving, firstMoving + shown + steps));
      // Each step adds one member, and so increases the revision of the list by one.
      expect([members.size, pinpoints.size]).toEqual([list?.revision, shown]);
    });
  });
});
