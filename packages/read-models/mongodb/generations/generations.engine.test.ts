import { setTimeout as wait } from 'node:timers/promises';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { type ReadModels, ReadModelsUnavailable } from '../../read-models.ts';
import { mine, numbers } from '../../testing/facts.ts';
import { ownDatabase, wipe } from '../../testing/mongodb.ts';
import { beginning } from '../../testing/recorder.ts';
import { feedOf, traffic } from '../../testing/traffic.ts';
import { leaseMs, refreshMs, settledMs } from '../limits.ts';
import { type Generation, type MongoReadSide, openMongoReadSide } from '../read-side.ts';

const partitions = numbers(0, partitionsOfCluster - 1);

/** Gives a generation a position in every partition. */
const complete = async (generation: Generation, position = 0): Promise<Generation> => {
  await generation.applyTogether(partitions.map((partition) => ({ partition, after: 0, events: [], to: { ...beginning, position } })));
  return generation;
};

const page = { kind: 'pinpoint', account: mine, within: null, direction: 'forward', from: 0, limit: 9 } as const;
const reads: readonly [string, (models: ReadModels) => Promise<unknown>][] = [
  ['find', ({ find }) => find('pinpoint', 1)],
  ['page', (models) => models.page(page)],
  ['page of a list', (models) => models.page({ ...page, within: 1 })],
  ['page of happenings', (models) => models.page({ ...page, kind: 'happening', within: 1 })],
  ['page of an empty collection', (models) => models.page({ ...page, kind: 'list', within: 1 })],
  ['membership', ({ membership }) => membership(1, [1])],
  ['application', ({ application }) => application('app-1')],
  ['applications', ({ applications }) => applications('', 10)],
  ['position', ({ position }) => position(0)],
];

/** Starts all reads at the same moment, and returns the names of those that are not rejected as unavailable. */
const notRejected = async (models: ReadModels): Promise<readonly string[]> => {
  const results = await Promise.allSettled(reads.map(([, read]) => read(models)));
  const isRejected = (result?: PromiseSettledResult<unknown>) =>
    result?.status === 'rejected' && result.reason instanceof ReadModelsUnavailable;
  return reads.filter((_, nth) => !isRejected(results[nth])).map(([name]) => name);
};

describeOn(['mongodb'], 'a generation on MongoDB', () => {
  const database = ownDatabase();
  const another: MongoReadSide[] = [];
  const process = (version?: number): MongoReadSide => {
    const side = openMongoReadSide({ url: urlOf('mongodb'), database: database.name, version });
    another.push(side);
    return side;
  };
  afterEach(async () => {
    await database.readSide().generations.withdraw();
    for (const { name } of await database.readSide().generations.list()) await database.readSide().generations.retire(name);
    await Promise.all(another.splice(0).map((side) => side.close()));
  });

  it.each(reads)('is not live before it is promoted: no %s, no visible position', async (_, read) => {
    await complete(await database.fresh());
    await expect(read(database.readSide().live)).rejects.toThrow(ReadModelsUnavailable);
    await expect(database.readSide().visiblePosition(0)).rejects.toThrow(ReadModelsUnavailable);
  });

  it('is live for every process once it is promoted, and is read-only', async () => {
    const { name } = await complete(await database.fresh(), 7);
    await database.readSide().generations.promote(name);
    for (const side of [database.readSide(), process()]) {
      expect(await side.live.find('pinpoint', 1)).toBeUndefined();
      expect(await side.live.page(page)).toEqual({ items: [], before: false, after: false });
      expect(await side.visiblePosition(3)).toBe(7);
      expect(await side.generations.roles()).toMatchObject({ read: name, awaited: [name] });
      await expect(side.live.apply(0, 7, [], beginning)).rejects.toThrow('only read');
    }
    expect(await database.readSide().generations.list()).toEqual([
      { name, version: expect.any(Number), serial: expect.any(Number), state: 'live' },
    ]);
    await expect(database.readSide().generations.retire(name)).rejects.toThrow('in use');
  });

  it('is not promoted before it has a position in every partition', async () => {
    const { name, models } = await database.fresh();
    await models.apply(0, 0, [], beginning);
    await expect(database.readSide().generations.promote(name)).rejects.toThrow('not complete');
  });

  it('is begun once, however often begin is called, until it is live; then begin returns a new one', async () => {
    const { generations, generation } = process(51);
    const name = await generations.begin();
    expect(await process(51).generations.begin()).toBe(name);
    expect(await process(52).generations.begin()).toMatch(/^52-/);
    await complete(generation(name));
    await generations.promote(name);
    expect(await generations.begin()).not.toBe(name);
  });

  it('is removed when it is retired: a feeder can no longer change it, and it is never begun again', async () => {
    const { name, models, digest, positions } = await complete(await database.fresh());
    await database.readSide().generations.retire(name);
    expect(await models.apply(0, 7, [], { ...beginning, position: 8 })).toBe(false);
    await expect(models.apply(0, 0, [], beginning)).rejects.toThrow(ReadModelsUnavailable);
    for (const [, read] of reads) await expect(read(models)).rejects.toThrow(ReadModelsUnavailable);
    await expect(digest()).rejects.toThrow(ReadModelsUnavailable);
    expect(await positions()).toEqual(partitions.map(() => undefined));
    await database.readSide().generations.retire(name);
  });

  it('is not read by a process that can no longer read the pointer', async () => {
    const { name } = await complete(await database.fresh());
    const side = process();
    await side.generations.promote(name);
    await side.live.find('pinpoint', 1);
    await database.readSide().generations.withdraw();
    await wait(leaseMs);
    await expect(side.live.find('pinpoint', 1)).rejects.toThrow(ReadModelsUnavailable);
    await expect(side.visiblePosition(0)).rejects.toThrow(ReadModelsUnavailable);
    // A withdrawn generation may come back, after every process has learned of the withdrawal.
    await side.generations.promote(name);
    expect(await side.visiblePosition(0)).toBe(0);
  });

  it('replaces another one during traffic: everything visible is always found, and no request is refused', async () => {
    const [old, next] = [await complete(await database.fresh()), await complete(await database.fresh())];
    const [promoter, gateway] = [database.readSide(), process()];
    await promoter.generations.promote(old.name);
    const feed = feedOf(old, next);
    const end = new AbortController();
    const ahead = feed.follow(end.signal);
    const checks = traffic({ gateway, feed, signal: end.signal });
    await wait(refreshMs);
    await promoter.generations.promote(next.name);
    await wait(settledMs);
    end.abort();
    await ahead;
    expect(await checks).toEqual({ written: expect.any(Number), missed: [], refused: [] });
    expect((await checks).written).toBeGreaterThan(20);
    expect(await gateway.generations.roles()).toMatchObject({ read: next.name, awaited: [next.name] });
    await promoter.generations.retire(old.name);
    expect(await gateway.live.find('pinpoint', 1)).toBeDefined();
  });

  it('of another version waits for readers of the old one, but no longer than they are active', async () => {
    const [before, after] = [process(61), process(62)];
    const old = await complete(before.generation(await before.generations.begin()));
    const next = await complete(after.generation(await after.generations.begin()));
    await before.generations.promote(old.name);
    await before.generations.seen('gateway-1', old.name);
    await before.generations.seen('gateway-2', old.name);
    let isOver = false;
    const promoted = after.generations.promote(next.name).finally(() => {
      isOver = true;
    });
    expect(await before.generations.roles()).toMatchObject({ read: old.name, isSuperseded: false });
    while ((await after.generations.roles()).read === undefined) await wait(100);
    await wait(settledMs);
    expect(await before.generations.roles()).toMatchObject({ read: old.name, isSuperseded: true });
    expect(await after.generations.roles()).toMatchObject({ read: next.name, isSuperseded: false });
    for (const _ of numbers(1, 8)) {
      await before.generations.seen('gateway-1', old.name);
      expect(await before.live.find('pinpoint', 1)).toBeUndefined();
      expect(await after.live.find('pinpoint', 1)).toBeUndefined();
      expect(isOver).toBe(false);
      await wait(1_000);
    }
    await promoted;
    await wait(settledMs);
    await expect(before.live.find('pinpoint', 1)).rejects.toThrow(ReadModelsUnavailable);
    expect(await after.live.find('pinpoint', 1)).toBeUndefined();
  });
});

describeOn(['mongodb'], 'closed MongoDB read models', () => {
  it.each(reads)('reject %s', async (_, read) => {
    const side = openMongoReadSide({ url: urlOf('mongodb'), database: ownName('closed') });
    await side.generations.list();
    await side.close();
    await expect(side.generations.list()).rejects.toThrow(ReadModelsUnavailable);
    await expect(read(side.live)).rejects.toThrow(ReadModelsUnavailable);
    await expect(read(side.generation('1-a').models)).rejects.toThrow(ReadModelsUnavailable);
    await expect(side.generation('1-a').models.apply(0, 0, [], beginning)).rejects.toThrow(ReadModelsUnavailable);
  });
});

describeOn(['mongodb'], 'MongoDB read models that are wiped while they run', () => {
  it('reject every read, at once and afterwards, because nothing may look deleted or empty', async () => {
    const database = ownName('wiped');
    const side = openMongoReadSide({ url: urlOf('mongodb'), database });
    const other = openMongoReadSide({ url: urlOf('mongodb'), database });
    try {
      const generation = await complete(side.generation(await side.generations.begin()));
      await side.generations.promote(generation.name);
      for (const [, read] of reads) await read(side.live);
      await wipe(database);
      expect(await notRejected(side.live)).toEqual([]);
      await expect(side.visiblePosition(0)).rejects.toThrow(ReadModelsUnavailable);
      // A feeder can neither continue it nor begin it again. A new generation has another name.
      expect(await generation.models.apply(0, 1, [], beginning)).toBe(false);
      await expect(generation.models.apply(0, 0, [], beginning)).rejects.toThrow(ReadModelsUnavailable);
      await generation.prepare();
      expect(await notRejected(side.live)).toEqual([]);
      const name = await other.generations.begin();
      expect(name).not.toBe(generation.name);
      await complete(other.generation(name));
      expect(await notRejected(side.live)).toEqual([]);
      await other.generations.promote(name);
      await wait(settledMs);
      for (const [, read] of reads) await read(side.live);
    } finally {
      await wipe(database);
      await Promise.all([side.close(), other.close()]);
    }
  });
});
