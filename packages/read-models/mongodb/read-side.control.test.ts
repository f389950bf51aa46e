import { setTimeout as wait } from 'node:timers/promises';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import fc from 'fast-check';
import { ReadModelsUnavailable } from '../read-models.ts';
import { mine, numbers, pinpointCreated } from '../testing/facts.ts';
import { histories } from '../testing/histories.ts';
import { wipe } from '../testing/mongodb.ts';
import { at, beginning, recorder } from '../testing/recorder.ts';
import { type Generation, type MongoReadSide, openMongoReadSide, type Step } from './read-side.ts';

const partitions = numbers(0, partitionsOfCluster - 1);
const page = { kind: 'pinpoint', account: mine, within: null, direction: 'forward', from: 0, limit: 9 } as const;

describeOn(['mongodb', 'control'], 'MongoDB read models whose server is paused, killed, or loses its files', () => {
  let database = '';
  let side: MongoReadSide;
  let generation: Generation;

  beforeEach(async () => {
    database = ownName('faults');
    side = openMongoReadSide({ url: urlOf('mongodb'), database });
    generation = side.generation(await side.generations.begin());
    await generation.applyTogether(partitions.map((partition) => ({ partition, after: 0, events: [], to: beginning })));
    await side.generations.promote(generation.name);
  });
  afterEach(async () => {
    await control('resume', 'mongodb').catch(() => undefined);
    await control('start', 'mongodb');
    await wipe(database);
    await side.close();
  });

  const calls = (): readonly Promise<unknown>[] => {
    const { record } = recorder();
    const event = record(mine, pinpointCreated(9));
    const { models } = generation;
    return [
      ...[side.live, models].flatMap((read) => [
        read.find('pinpoint', 1),
        read.page(page),
        read.page({ ...page, from: 5 }),
        read.page({ ...page, within: 1 }),
        read.page({ ...page, kind: 'happening', within: 1 }),
        read.membership(1, [1]),
        read.application('app-1'),
        read.applications('', 10),
        read.position(0),
      ]),
      models.apply(0, 0, [event], at(event)),
      generation.applyTogether([{ partition: 1, after: 0, events: [], to: at(event) }]),
      generation.positions(),
      generation.prepare(),
      side.visiblePosition(0),
      side.generations.list(),
      side.generations.begin(),
      side.generations.promote(generation.name),
      side.generations.withdraw(),
      side.generations.retire('0-nothing'),
      side.generations.seen('reader', generation.name),
      side.ensure(),
    ];
  };

  const goesOn = (): Promise<void> =>
    once(async () => {
      expect(await side.live.find('pinpoint', 1)).toBeUndefined();
      expect(await side.visiblePosition(0)).toBeGreaterThanOrEqual(0);
    });

  it('end every call while the server is paused, and continue with the same client', async () => {
    await side.live.find('pinpoint', 1);
    for (const _ of [1, 2]) {
      await control('pause', 'mongodb');
      const outcomes = await Promise.allSettled(calls());
      await control('resume', 'mongodb');
      const others = outcomes.filter((outcome) => !(outcome.status === 'rejected' && outcome.reason instanceof ReadModelsUnavailable));
      expect(others).toEqual([]);
      await goesOnAfterAll();
    }
  });

  /** A call that was given up may still have taken effect: the pointer may be withdrawn. */
  const goesOnAfterAll = async (): Promise<void> => {
    await wait(1_000);
    await side.generations.promote(generation.name);
    await goesOn();
    const reached = await generation.models.position(0);
    expect(await generation.models.apply(0, reached.position, [], { ...reached, position: reached.position + 1 })).toBe(true);
  };

  it('end every call while the server is dead, and continue with the same client', async () => {
    await control('kill', 'mongodb');
    const outcomes = await Promise.allSettled(calls());
    expect(outcomes.filter((outcome) => !(outcome.status === 'rejected' && outcome.reason instanceof ReadModelsUnavailable))).toEqual([]);
    await control('start', 'mongodb');
    await goesOn();
    expect(await generation.models.position(0)).toEqual(beginning);
  });

  it('return nothing from a server whose files were lost', async () => {
    await side.live.find('pinpoint', 1);
    await control('wipe', 'mongodb');
    await control('start', 'mongodb');
    const outcomes = await Promise.allSettled([
      side.live.find('pinpoint', 1),
      side.live.page(page),
      side.live.application('app-1'),
      side.live.applications('', 9),
      side.visiblePosition(0),
    ]);
    expect(outcomes.filter((outcome) => !(outcome.status === 'rejected' && outcome.reason instanceof ReadModelsUnavailable))).toEqual([]);
  });

  it('match the log exactly, with two writers, however often the server is paused or killed', async () => {
    const [history] = fc.sample(histories({ minLength: 3_000, maxLength: 3_000, apart: true }), { numRuns: 1, seed: 11 });
    const events = (history?.events ?? []).filter(({ stream }) => isHistory(stream));
    const other = openMongoReadSide({ url: urlOf('mongodb'), database });
    const writers = [generation, other.generation(generation.name)].map((one) => writing(one, events));
    let isOver = false;
    const written = Promise.all(writers).finally(() => {
      isOver = true;
    });
    for (const harm of ['pause', 'kill', 'pause', 'kill', 'pause'] as const) {
      await wait(300 + Math.random() * 700);
      await control(harm, 'mongodb');
      await wait(Math.random() * 3_000);
      await control(harm === 'pause' ? 'resume' : 'start', 'mongodb');
      if (isOver) break;
    }
    await written;
    // The last fault may still have an effect.
    const undisturbed = side.generation(await once(() => side.generations.begin()));
    await writing(undisturbed, events);
    expect(await once(() => generation.digest())).toEqual(await once(() => undisturbed.digest()));
    await other.close();
  });
});

/** Returns the first result that the server gives after it is back. */
const once = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ReadModelsUnavailable) || tries > 200) throw error;
      await wait(100);
    }
  }
};

type Event = Step['events'][number];

/** Applies all missing events to a generation, and reads its positions again after each error. */
const writing = async (generation: Generation, events: readonly Event[]): Promise<void> => {
  const lanes = partitions.map((partition) =>
    events.filter(({ envelope }) => partitionOf(envelope.account, partitionsOfCluster) === partition),
  );
  for (let tries = 1; tries < 2_000; tries += 1) {
    try {
      const positions = await generation.positions();
      const steps = lanes.flatMap((lane, partition): Step[] => {
        const after = positions[partition]?.position ?? 0;
        const taken = lane.filter(({ position }) => position > after).slice(0, 10);
        const to = taken.map(at).at(-1) ?? (positions[partition] === undefined ? beginning : undefined);
        return to ? [{ partition, after, events: taken, to }] : [];
      });
      if (steps.length === 0) return;
      await generation.applyTogether(steps);
    } catch (error) {
      if (!(error instanceof ReadModelsUnavailable)) throw error;
      await wait(50);
    }
  }
  throw new Error('The generation did not catch up.');
};
