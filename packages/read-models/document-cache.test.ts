import { partitionOf } from '@waymark/domain/partitions.ts';
import fc from 'fast-check';
import { readModelsContract } from './contract/read-models.ts';
import { createDocumentCache } from './document-cache.ts';
import { ReadModelsUnavailable } from './read-models.ts';
import { openSqliteReadModels, sqliteRows } from './sqlite/read-models.ts';
import { settled, slowModels } from './testing/slow-models.ts';
import { temporaryFiles } from './testing/temporary-files.ts';

const newFile = temporaryFiles();

readModelsContract('SQLite with a cache', {
  runs: 25,
  open: async () => {
    const file = newFile();
    const models = openSqliteReadModels({ file, mode: 'writer' });
    return {
      ...createDocumentCache(models, { partitions: 1 }),
      dump: async () => [...sqliteRows(file)],
      close: async () => models.close(),
    };
  },
});

const partitions = 2;
/** The accounts of documents in two partitions. */
const accounts = ['one', 'two', 'three', 'four', 'five'];
const accountOf = (id: number): string => accounts[id % accounts.length] ?? '';
const partitionOfId = (id: number): number => partitionOf(accountOf(id), partitions);

const atOnce = () => slowModels(() => Promise.resolve(), accountOf, partitionOfId);

describe('a cache of documents', () => {
  it('has documents in both partitions', () => {
    expect(new Set([0, 1, 2, 3, 4].map(partitionOfId))).toEqual(new Set([0, 1]));
  });

  it('returns a document from memory once its partition has been unchanged, and checks the position each time', async () => {
    const { models, reads, write } = atOnce();
    const { find } = createDocumentCache(models, { partitions });
    write(1);
    await find('pinpoint', 1);
    await settled();
    await find('pinpoint', 1);
    reads.finds = 0;
    reads.looks = 0;
    for (let times = 0; times < 3; times += 1) expect(await find('pinpoint', 1)).toMatchObject({ revision: 1 });
    expect(reads).toEqual({ finds: 0, looks: 3 });
  });

  it('reads a document that may have changed, and for a moment afterwards makes no second query', async () => {
    let nowMs = 0;
    const { models, reads, write } = atOnce();
    const { find } = createDocumentCache(models, { partitions, now: () => nowMs });
    const warm = async () => {
      await find('pinpoint', 1);
      await settled();
      await find('pinpoint', 1);
    };
    write(1);
    await warm();
    const version = write(1);
    expect(await find('pinpoint', 1)).toMatchObject({ revision: version });
    reads.finds = 0;
    reads.looks = 0;
    await find('pinpoint', 1);
    expect(reads).toEqual({ finds: 1, looks: 0 });
    nowMs += 1_000;
    await find('pinpoint', 1);
    expect(reads).toEqual({ finds: 1, looks: 1 });
  });

  it('keeps no more than its limit', async () => {
    const { models, reads, write } = atOnce();
    const { find } = createDocumentCache(models, { partitions, memoryBytes: 16 * 4 * 700 });
    const ids = [0, 1, 2, 3, 4];
    for (const id of ids) write(id);
    for (let times = 0; times < 3; times += 1) {
      for (const id of ids) await find('pinpoint', id);
      await settled();
    }
    reads.finds = 0;
    for (const id of ids) await find('pinpoint', id);
    expect(reads.finds).toBeGreaterThanOrEqual(3);
  });

  it('is unavailable where the position is unavailable, whatever it keeps', async () => {
    const { models, write } = atOnce();
    let isUnavailable = false;
    const position: typeof models.position = async (partition) => {
      if (isUnavailable) throw new ReadModelsUnavailable('The read models are unavailable.');
      return models.position(partition);
    };
    const { find } = createDocumentCache({ ...models, position }, { partitions });
    write(1);
    await find('pinpoint', 1);
    await settled();
    await find('pinpoint', 1);
    isUnavailable = true;
    await expect(find('pinpoint', 1)).rejects.toThrow(ReadModelsUnavailable);
  });

  it('does not treat a document as newer than the moment at which it was read, however late the result arrives', async () => {
    let nowMs = 0;
    const late: (() => void)[] = [];
    let isSlow = false;
    const wait = () => (isSlow ? new Promise<void>((resolve) => late.push(resolve)) : Promise.resolve());
    const quick = slowModels(
      () => Promise.resolve(),
      () => 'one',
      () => 0,
    );
    const find: typeof quick.models.find = async (kind, id) => {
      const found = await quick.models.find(kind, id);
      if (id === 2) await wait();
      return found;
    };
    const cached = createDocumentCache({ ...quick.models, find }, { partitions: 1, now: () => nowMs });
    quick.write(1);
    quick.write(2);
    for (let times = 0; times < 3; times += 1) {
      await cached.find('pinpoint', 1);
      await settled();
    }
    isSlow = true;
    const reading = cached.find('pinpoint', 2);
    await settled();
    const version = quick.write(2);
    // The read of another document observes the current position of the partition.
    await cached.find('pinpoint', 1);
    for (const resolve of late) resolve();
    await reading;
    isSlow = false;
    nowMs += 1_000;
    expect(await cached.find('pinpoint', 2)).toMatchObject({ revision: version });
  });

  it('never returns a document older than the one at the time of the request, in whatever order results arrive', async () => {
    const step = fc.record({
      type: fc.constantFrom('write', 'read', 'read', 'pass', 'pass', 'pass'),
      id: fc.constantFrom(0, 0, 0, 1, 2, 3, 4),
      count: fc.integer({ min: 1, max: 16 }),
    });
    const steps = fc.array(step, { minLength: 10, maxLength: 80, size: 'max' });
    const property = fc.asyncProperty(fc.scheduler(), steps, async (scheduler, plan) => {
      let nowMs = 0;
      const { models, write, version } = slowModels(() => scheduler.schedule(Promise.resolve()), accountOf, partitionOfId);
      const { find } = createDocumentCache(models, { partitions, now: () => nowMs });
      const reading: Promise<void>[] = [];
      const read = async (id: number): Promise<void> => {
        const least = version(id);
        const found = await find('pinpoint', id);
        expect(found?.revision ?? -1).toBeGreaterThanOrEqual(least);
      };
      for (const { type, id, count } of plan) {
        if (type === 'write') write(id);
        if (type === 'read') reading.push(read(id));
        for (let passed = 0; type === 'pass' && passed < count && scheduler.count() > 0; passed += 1) await scheduler.waitOne();
        nowMs += count * 10;
      }
      await scheduler.waitIdle();
      await Promise.all(reading);
    });
    await fc.assert(property, { numRuns: 500 });
  });
});
