import { setTimeout as wait } from 'node:timers/promises';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import type { MongoClient } from 'mongodb';
import { ForeignReadModels } from '../../read-models.ts';
import { mine, numbers } from '../../testing/facts.ts';
import { beginning } from '../../testing/recorder.ts';
import { createMongoClient } from '../client.ts';
import { refreshMs } from '../limits.ts';
import { namespaceIn } from '../namespace.ts';
import { type Generation, type MongoReadSide, openMongoReadSide } from '../read-side.ts';
import { createControl } from './control.ts';

const ours = '00000000-0000-4000-8000-000000000001';
const theirs = '00000000-0000-4000-8000-000000000002';
const page = { kind: 'pinpoint', account: mine, within: null, direction: 'forward', from: 0, limit: 9 } as const;

type Row = { readonly _id: unknown };
type PointerRow = { readonly _id: string };

describeOn(['mongodb'], 'a MongoDB database of an installation', () => {
  let client: MongoClient;
  const opened: MongoReadSide[] = [];
  let database = '';
  beforeAll(() => {
    client = createMongoClient({ url: urlOf('mongodb') });
  });
  beforeEach(() => {
    database = ownName('installation');
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((side) => side.close()));
    await client.db(database).dropDatabase();
  });
  afterAll(() => client.close());

  /** Opens the read models as another process: with its own connection and its own knowledge. */
  const process = (): MongoReadSide => {
    const side = openMongoReadSide({ url: urlOf('mongodb'), database });
    opened.push(side);
    return side;
  };
  const belonging = (installation: string): MongoReadSide => {
    const side = process();
    side.setInstallation(installation);
    return side;
  };
  const claimed = async (installation: string): Promise<MongoReadSide> => {
    const side = process();
    await side.claim(installation);
    return side;
  };
  const pointers = () => client.db(database).collection<PointerRow>('pointer');
  const pointer = () => pointers().findOne({ _id: 'pointer' });
  const filled = async ({ generations, generation }: MongoReadSide): Promise<Generation> => {
    const made = generation(await generations.begin());
    const to = { ...beginning, position: 7 };
    await made.applyTogether(numbers(0, partitionsOfCluster - 1).map((partition) => ({ partition, after: 0, events: [], to })));
    return made;
  };
  const live = async (side: MongoReadSide): Promise<string> => {
    const { name } = await filled(side);
    await side.generations.promote(name);
    return name;
  };
  /** Returns the whole content of the database. */
  const content = async (): Promise<Readonly<Record<string, readonly Row[]>>> => {
    const names = (await client.db(database).listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
    const rows = names.toSorted().map(async (name) => [name, await client.db(database).collection(name).find().sort({ _id: 1 }).toArray()]);
    return Object.fromEntries(await Promise.all(rows));
  };

  it('names the first installation that claimed it, of all that do so at the same time', async () => {
    const claims = numbers(0, 7).map((nth) => (nth % 2 === 0 ? ours : theirs));
    const outcomes = await Promise.all(
      claims.map(async (installation) => {
        const side = process();
        return side.claim(installation).then(
          () => installation,
          (error: Error) => error,
        );
      }),
    );
    const won = await process().installation();
    expect([ours, theirs]).toContain(won);
    expect(outcomes.filter((outcome) => typeof outcome === 'string')).toEqual(numbers(1, 4).map(() => won));
    for (const error of outcomes.filter((outcome) => outcome instanceof Error)) {
      expect(error).toBeInstanceOf(ForeignReadModels);
      expect(error.message).toMatch(new RegExp(`${won}.*WAYMARK_MONGODB_DATABASE.*waymark adopt --instead-of ${won}`));
    }
  });

  it('that v0.1.0 wrote belongs to the installation that claims it, and stays unchanged', async () => {
    const name = await live(process());
    const [before, gateway] = [await pointer(), belonging(ours)];
    expect(before).not.toHaveProperty('installation');
    expect(await gateway.live.page(page)).toEqual({ items: [], before: false, after: false });
    const side = await claimed(ours);
    expect(await pointer()).toEqual({ ...before, installation: ours });
    expect([await side.installation(), (await side.generations.roles()).read]).toEqual([ours, name]);
    await expect(claimed(theirs)).rejects.toThrow(ForeignReadModels);
  });

  it('is claimed again where v0.1.0 has moved the pointer, and where it has no valid id', async () => {
    const side = await claimed(ours);
    await live(side);
    for (const installation of [undefined, '<script>', { $gt: '' }]) {
      const { installation: _, ...rest } = { installation: '', ...(await pointer()) };
      await pointers().replaceOne({ _id: 'pointer' }, { ...rest, ...(installation !== undefined && { installation }) });
      expect(await side.installation()).toBeUndefined();
      await side.claim(ours);
      expect(await process().installation()).toBe(ours);
    }
  });

  it('is not changed by a process of another installation', async () => {
    const owner = await claimed(theirs);
    const name = await live(owner);
    await owner.generations.promote(await live(owner));
    const before = await content();
    const side = process();
    await expect(side.claim(ours)).rejects.toThrow(ForeignReadModels);
    const { begin, promote, compare, withdraw, retire } = side.generations;
    const facts = () => side.facts.replace(undefined, 'what is known of its log');
    for (const change of [begin, () => promote(name), () => compare(name), withdraw, () => retire(name), side.beat, facts]) {
      await expect(change()).rejects.toThrow(ForeignReadModels);
    }
    expect(await content()).toEqual(before);
  });

  it('is not read by a process of another installation, from the moment that it knows its own', async () => {
    await live(await claimed(theirs));
    const gateway = process();
    // The log is unavailable: the process uses the installation that the database names.
    expect(await gateway.live.page(page)).toEqual({ items: [], before: false, after: false });
    gateway.setInstallation(ours);
    const reads = [
      () => gateway.live.find('pinpoint', 1),
      () => gateway.live.page(page),
      () => gateway.live.membership(1, [1]),
      () => gateway.live.application('app-1'),
      () => gateway.live.applications('', 10),
      () => gateway.live.position(0),
      () => gateway.visiblePosition(0),
      () => gateway.generations.roles(),
    ];
    for (const read of reads) await expect(read()).rejects.toThrow(/WAYMARK_MONGODB_DATABASE/);
    const own = belonging(theirs);
    expect(await own.visiblePosition(0)).toBe(7);
  });

  it('is no longer read by the installation that lost it', async () => {
    const gateway = belonging(ours);
    await live(await claimed(ours));
    expect(await gateway.visiblePosition(0)).toBe(7);
    await pointers().updateOne({ _id: 'pointer' }, { $set: { installation: theirs } });
    const endMs = performance.now() + 60_000;
    while (performance.now() < endMs && (await gateway.visiblePosition(0).catch((error: Error) => error)) === 7) await wait(refreshMs);
    await expect(gateway.visiblePosition(0)).rejects.toThrow(ForeignReadModels);
  });

  it('that is lost during a promotion keeps the pointer of the other installation', async () => {
    const side = await claimed(ours);
    await live(side);
    const next = await filled(side);
    const promotion = side.generations.promote(next.name).then(
      () => 'promoted',
      (error: Error) => error,
    );
    // The promotion waits until every process knows of its first step.
    await wait(refreshMs);
    const change = { $set: { installation: theirs, read: null, awaited: [], still: [], revision: 99 } };
    await pointers().updateOne({ _id: 'pointer' }, change);
    const after = await pointer();
    expect(await promotion).toBeInstanceOf(ForeignReadModels);
    expect(await pointer()).toEqual(after);
  });

  it('keeps its pointer where another installation replaces a revision that it read before the claim', async () => {
    await live(process());
    const other = createControl(namespaceIn(client.db(database)), () => theirs);
    const read = await other.pointer();
    await claimed(ours);
    const before = await pointer();
    expect(await other.putPointer(read, { revision: (read?.revision ?? 0) + 1, read: null, awaited: [], still: [] })).toBe(false);
    expect(await pointer()).toEqual(before);
  });

  it('is not used while the data of another installation is being removed from it', async () => {
    const side = await claimed(ours);
    await live(side);
    await pointers().updateOne({ _id: 'pointer' }, { $set: { emptying: theirs } });
    const halfEmptied = new RegExp(`adopt --instead-of ${theirs}`);
    await expect(side.claim(ours)).rejects.toThrow(halfEmptied);
    await expect(side.generations.begin()).rejects.toThrow(halfEmptied);
    await expect(belonging(ours).visiblePosition(0)).rejects.toThrow(ForeignReadModels);
    await expect(process().visiblePosition(0)).rejects.toThrow(ForeignReadModels);
  });

  it('shows by rising beats that its own processes are alive, and no others', async () => {
    const beats = () => client.db(database).collection('beats').find().toArray();
    const [side, gateway, unknown] = [await claimed(ours), belonging(ours), process()];
    await side.beat();
    await gateway.beat();
    await unknown.beat();
    await expect(belonging(theirs).beat()).rejects.toThrow(ForeignReadModels);
    expect(await beats()).toEqual([{ _id: ours, beats: 2 }]);
  });
});
