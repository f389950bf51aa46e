import { describeOn, urlOf } from '@waymark/test-engines/test-engines.ts';
import fc from 'fast-check';
import { Long } from 'mongodb';
import { ReadModelsUnavailable } from '../read-models.ts';
import { happeningText } from '../representations/happening.ts';
import { pinpointText } from '../representations/pinpoint.ts';
import { sqliteDigest } from '../sqlite/read-models.ts';
import { happeningCreated, happeningFields, listCreated, mine, numbers, pinpointCreated, pinpointFields } from '../testing/facts.ts';
import { histories } from '../testing/histories.ts';
import { ownDatabase } from '../testing/mongodb.ts';
import { at, beginning, incarnation, recorder } from '../testing/recorder.ts';
import { rebuilt, temporaryFiles } from '../testing/temporary-files.ts';
import { type Generation, openMongoReadSide, type Step } from './read-side.ts';

describeOn(['mongodb'], 'read models on MongoDB, which converts some values,', () => {
  const database = ownDatabase();
  const { record } = recorder();
  let generation: Generation;
  let from = beginning;
  beforeEach(async () => {
    generation = await database.fresh();
    from = beginning;
    await generation.models.apply(0, 0, [], beginning);
  });

  const applyFacts = async (...facts: Parameters<typeof record>[1][]): Promise<void> => {
    const events = facts.map((fact) => record(mine, fact));
    const to = events.map(at).at(-1) ?? from;
    expect(await generation.models.apply(0, from.position, events, to)).toBe(true);
    from = to;
  };

  it('keep an invalid date as text, and never store a date', async () => {
    // As a Date it would be invalid, and would be stored as the first second of 1970.
    const dates = [{ start: '2026-06-30T23:59:60.000Z', end: '2026-07-01T00:00:00.000Z' }];
    const fields = { ...happeningFields, pinpoint: 1, dates };
    await applyFacts(pinpointCreated(1), { ...happeningCreated(1, 1), fields });
    expect((await generation.models.find('happening', 1))?.text).toBe(happeningText(1, fields));
    for (const kind of ['pinpoint', 'happening', 'member', 'application', 'position']) {
      for (const row of await database.client().db(database.name).collection(`${generation.name}.${kind}`).find({}).toArray()) {
        for (const value of Object.values(row)) expect(value === null || ['string', 'number', 'boolean'].includes(typeof value)).toBe(true);
      }
    }
  });

  it.each([
    ['a lone surrogate', 'a\ud800b\udfff'],
    ['NUL', 'a\u0000b'],
    ['a key that is an operator', '{"$gt":""}'],
    ['characters outside the Basic Multilingual Plane', '\u{1f5fa}'],
  ])('return unchanged: %s', async (_, name) => {
    const fields = { ...pinpointFields, name };
    await applyFacts(
      { type: 'PinpointCreated', account: mine, pinpoint: 1, fields },
      { type: 'PinpointEdited', pinpoint: 1, fields: { tags: [name] } },
    );
    const found = await generation.models.find('pinpoint', 1);
    expect(found?.text).toBe(pinpointText(1, { ...fields, tags: [name] }));
    expect(JSON.parse(found?.text ?? '').name).toBe(name);
  });

  it('keep numbers up to the largest safe integer as numbers, in their order', async () => {
    const max = Number.MAX_SAFE_INTEGER;
    await applyFacts(...[5, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 2, max].map((id) => pinpointCreated(id)));
    const page = await generation.models.page({ kind: 'pinpoint', account: mine, within: null, direction: 'forward', from: 5, limit: 9 });
    expect(page.items.map(({ id }) => id)).toEqual([2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 2, max]);
    expect(await generation.models.find('pinpoint', max)).toMatchObject({ id: max });
    const to = { incarnation, position: max, event: 'last' };
    expect(await generation.models.apply(0, from.position, [], to)).toBe(true);
    expect(await generation.models.position(0)).toEqual(to);
  });

  it('refuse a position that is not a number or is too large', async () => {
    for (const position of [2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(generation.models.apply(0, 0, [], { ...beginning, position })).rejects.toThrow(RangeError);
    }
  });

  it('treat a value that looks like a query as a value', async () => {
    await applyFacts(pinpointCreated(1), listCreated(1));
    const operator = { $ne: 'nobody' } as never;
    const page = { kind: 'pinpoint', account: mine, within: null, direction: 'forward', from: 0, limit: 9 } as const;
    const nothing = { items: [], before: false, after: false };
    expect(await generation.models.page({ ...page, account: operator })).toEqual(nothing);
    expect(await generation.models.page({ ...page, within: { $gt: 0 } as never })).toEqual(nothing);
    expect(await generation.models.find('pinpoint', { $gt: 0 } as never)).toBeUndefined();
    expect(await generation.models.application(operator)).toBeUndefined();
  });

  it('find nothing under the ids of the markers in their collections', async () => {
    for (const id of [0, -1, 0.5, Number.NaN]) expect(await generation.models.find('pinpoint', id)).toBeUndefined();
    expect(await generation.models.application('')).toBeUndefined();
  });

  it('read a number that another client stored as a Long', async () => {
    await applyFacts(pinpointCreated(1));
    const rows = database.client().db(database.name).collection<{ readonly _id: number }>(`${generation.name}.pinpoint`);
    await rows.updateOne({ _id: 1 }, { $set: { revision: Long.fromNumber(7) } });
    expect(await generation.models.find('pinpoint', 1)).toMatchObject({ revision: 7 });
  });
});

describeOn(['mongodb'], 'read models on MongoDB with several writers', () => {
  const database = ownDatabase();

  it('let exactly one of many writers win each step of a partition, and keep nothing of the others', async () => {
    const { name } = await database.fresh();
    // To the database, these are separate processes.
    const sides = numbers(1, 3).map(() => openMongoReadSide({ url: urlOf('mongodb'), database: database.name }));
    const { record } = recorder();
    let reached = beginning;
    await sides[0]?.generation(name).models.apply(0, 0, [], beginning);
    for (const step of numbers(1, 40)) {
      const tries = sides.map((side, index) => {
        const event = record(mine, pinpointCreated(step * 10 + index));
        return {
          event,
          done: side.generation(name).applyTogether([{ partition: 0, after: reached.position, events: [event], to: at(event) }]),
        };
      });
      const outcomes = await Promise.all(tries.map(({ done }) => done));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      const won = tries[outcomes.indexOf(true)];
      if (won) reached = at(won.event);
      expect(await sides[0]?.generation(name).models.position(0)).toEqual(reached);
      const found = await Promise.all(sides.map((side, index) => side.generation(name).models.find('pinpoint', step * 10 + index)));
      expect(found.map((document) => document !== undefined)).toEqual(outcomes);
    }
    await Promise.all(sides.map((side) => side.close()));
  });

  it('begin the same generation for all concurrent callers, and write its first position once', async () => {
    const sides = numbers(1, 4).map(() => openMongoReadSide({ url: urlOf('mongodb'), database: database.name, version: 77 }));
    const names = await Promise.all(sides.map((side) => side.generations.begin()));
    expect(new Set(names).size).toBe(1);
    const [name = ''] = names;
    const outcomes = await Promise.all(sides.map((side) => side.generation(name).models.apply(3, 0, [], { ...beginning, position: 5 })));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    await Promise.all(sides.map((side) => side.generations.seen('one-reader', name)));
    await Promise.all(sides.map((side) => side.close()));
  });

  it('apply steps of several partitions together, or none of them', async () => {
    const { applyTogether, models, positions } = await database.fresh();
    const { record } = recorder();
    const [one, two, three] = [1, 2, 3].map((id) => record(mine, pinpointCreated(id))) as [Event, Event, Event];
    const step = (partition: number, after: number, event: Event): Step => ({ partition, after, events: [event], to: at(event) });
    expect(await applyTogether([])).toBe(true);
    expect(await applyTogether([step(0, 0, one), step(5, 0, two)])).toBe(true);
    expect((await positions()).map((position) => position?.position)).toEqual(
      numbers(0, 11).map((partition) => ({ 0: one, 5: two })[partition]?.position),
    );
    expect(await applyTogether([step(0, one.position, three), step(5, 0, three)])).toBe(false);
    expect(await models.find('pinpoint', 3)).toBeUndefined();
    expect(await models.position(0)).toEqual(at(one));
    // One partition without a position, together with one that has a position.
    expect(await applyTogether([step(0, one.position, three), { ...step(1, 0, two), events: [] }])).toBe(true);
    expect((await Promise.all([0, 1, 5].map(models.position))).map(({ position }) => position)).toEqual([
      three.position,
      two.position,
      two.position,
    ]);
    await expect(applyTogether([step(1, 0, three), step(1, 0, three)])).rejects.toThrow(RangeError);
  });

  it('do not move a position that is of another log, or of another event than the step states', async () => {
    const { applyTogether } = await database.fresh();
    const { record } = recorder();
    const event = record(mine, pinpointCreated(1));
    expect(await applyTogether([{ partition: 0, after: 0, events: [event], to: at(event) }])).toBe(true);
    const next = { partition: 0, after: event.position, events: [], to: { ...at(event), position: 99 } };
    expect(await applyTogether([{ ...next, afterEvent: 'another' }])).toBe(false);
    expect(await applyTogether([{ ...next, to: { ...next.to, incarnation: 'another' } }])).toBe(false);
    expect(await applyTogether([{ partition: 4, after: 0, events: [], to: { ...beginning, incarnation: 'another' } }])).toBe(false);
    expect(await applyTogether([{ ...next, afterEvent: event.envelope.id }])).toBe(true);
  });

  it('do not overwrite an existing document: the whole transaction fails', async () => {
    const generation = await database.fresh();
    const { record } = recorder();
    const [first, again, other] = [1, 1, 2].map((id) => record(mine, pinpointCreated(id))) as [Event, Event, Event];
    await generation.models.apply(0, 0, [first], at(first));
    await expect(generation.models.apply(0, first.position, [other, again], at(other))).rejects.toThrow(ReadModelsUnavailable);
    expect(await generation.models.find('pinpoint', 2)).toBeUndefined();
    expect(await generation.models.position(0)).toEqual(at(first));
  });
});

describeOn(['mongodb'], 'a MongoDB generation that is retired while it is fed', () => {
  const database = ownDatabase();

  it('stops its feeders, and nothing hangs', async () => {
    for (const _ of numbers(1, 5)) {
      const { name, models } = await database.fresh();
      const { record } = recorder();
      await models.apply(0, 0, [], beginning);
      let reached = beginning;
      const feeding = (async () => {
        for (;;) {
          const events = numbers(1, 50).map((one) => record(mine, pinpointCreated(reached.position * 100 + one)));
          const to = events.map(at).at(-1) ?? reached;
          if (!(await models.apply(0, reached.position, events, to))) return;
          reached = to;
        }
      })();
      while (reached.position === 0) await new Promise(setImmediate);
      await database.readSide().generations.retire(name);
      await feeding;
      await expect(models.position(0)).rejects.toThrow(ReadModelsUnavailable);
    }
  });
});

type Event = ReturnType<ReturnType<typeof recorder>['record']>;

describeOn(['mongodb'], 'the digest of MongoDB read models', () => {
  const database = ownDatabase();
  const newFile = temporaryFiles();

  it('equals that of SQLite read models of the same log, in one or in many transactions', async () => {
    await fc.assert(
      fc.asyncProperty(histories({ maxLength: 120 }), fc.integer({ min: 1, max: 30 }), async ({ events }, batch) => {
        const [one, other] = [await database.fresh(), await database.fresh()];
        const last = events.map(at).at(-1) ?? beginning;
        await one.models.apply(0, 0, events, last);
        let reached = beginning;
        for (let start = 0; start < Math.max(1, events.length); start += batch) {
          const taken = events.slice(start, start + batch);
          const to = taken.map(at).at(-1) ?? reached;
          expect(await other.models.apply(0, reached.position, taken, to)).toBe(true);
          reached = to;
        }
        const file = newFile();
        await rebuilt(file, events, 50);
        const expected = await sqliteDigest(file);
        expect(await one.digest()).toEqual(expected);
        expect(await other.digest()).toEqual(expected);
        for (const { name } of [one, other]) await database.readSide().generations.retire(name);
      }),
      // Do not shrink: a failure on a busy machine repeats, and a smaller history shows no more but takes very long to find.
      { numRuns: 12, endOnFailure: true },
    );
  });

  it('is unavailable without a position', async () => {
    await expect((await database.fresh()).digest()).rejects.toThrow(ReadModelsUnavailable);
  });
});
