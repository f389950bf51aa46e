// It is long because it interrupts a takeover at every step.

import { type KafkaBroker, openKafkaBroker } from '@waymark/broker/kafka/broker.ts';
import { silent, withAdmin } from '@waymark/broker/testing/kafka.ts';
import { someSigner, someWatermark } from '@waymark/broker/testing/some-records.ts';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { type MongoHistory, openMongoHistory } from '@waymark/history/mongodb/history.ts';
import { createMongoClient } from '@waymark/read-models/mongodb/client.ts';
import { type MongoReadSide, openMongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';
import { ForeignReadModels } from '@waymark/read-models/read-models.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { adoptInsteadOf, type InsteadOfOptions } from './instead-of.ts';

const ours = '00000000-0000-4000-8000-000000000001';
const theirs = '00000000-0000-4000-8000-000000000002';
const nobody = '00000000-0000-4000-8000-000000000003';
const partitions = Array.from({ length: partitionsOfCluster }, (_, partition) => partition);
const watchMs = 200;
/** Collections of other programs, or of media. */
const kept = ['media.files', 'media.chunks', 'fs.files', 'shop.position', '1-0123456789abcdef.notes', 'lists'];

type Row = { readonly _id: unknown };

describeOn(['kafka', 'mongodb'], 'an installation that replaces another one', () => {
  jest.setTimeout(300_000);
  const closes: (() => Promise<unknown>)[] = [];
  let client: ReturnType<typeof createMongoClient>;
  let name: string;
  beforeAll(() => {
    client = createMongoClient({ url: urlOf('mongodb') });
  });
  beforeEach(() => {
    name = ownName('instead');
  });
  afterEach(async () => {
    await Promise.all(closes.splice(0).map((close) => close()));
    await client.db(name).dropDatabase();
    await withAdmin((admin) => admin.deleteTopics({ topics: [name] })).catch(() => undefined);
  });
  afterAll(() => client.close());

  const newTopic = (): KafkaBroker => {
    const brokers = urlOf('kafka').split(',');
    const records = openKafkaBroker({ brokers, topic: name, clientId: 'test', signer: someSigner, logger: silent });
    closes.push(records.close);
    return records;
  };
  const sideOf = (installation: string): MongoReadSide => {
    const side = openMongoReadSide({ url: urlOf('mongodb'), database: name });
    side.setInstallation(installation);
    closes.push(side.close);
    return side;
  };
  const historyOf = (installation: string): MongoHistory => {
    const history = openMongoHistory({ url: urlOf('mongodb'), database: name });
    history.setInstallation(installation);
    closes.push(history.close);
    return history;
  };
  const watermarks = (position: number) => partitions.map((partition) => someWatermark({ partition, previous: position, position }));
  const fill = async (side: MongoReadSide | MongoHistory): Promise<string> => {
    const begun = await side.generations.begin();
    const generation = side.generation(begun);
    const to = { incarnation: 'log', position: 7, event: '' };
    await generation.applyTogether(partitions.map((partition) => ({ partition, after: 0, afterEvent: '', events: [], to })));
    await side.generations.promote(begun);
    return begun;
  };
  /** Sets up another installation that has worked here, and other collections. */
  const settled = async () => {
    const [side, topic] = [sideOf(theirs), newTopic()];
    await topic.ensure();
    await topic.send(watermarks(7), theirs);
    const history = historyOf(theirs);
    for (const one of [side, history]) await one.claim(theirs);
    const [generation = ''] = [await fill(side), await fill(history)];
    await side.generations.begin();
    await side.generations.seen('a gateway', generation);
    await side.beat();
    await side.facts.replace(undefined, 'the facts of its log');
    for (const collection of kept) await client.db(name).collection(collection).insertOne({ some: collection });
    return { side, topic, generation };
  };
  const own = (): InsteadOfOptions & { readonly topic: KafkaBroker; readonly readSide: MongoReadSide } => ({
    log: { state: async () => ({ incarnation: 'log', installation: ours, head: 7 }) },
    topic: newTopic(),
    readSide: sideOf(ours),
    history: historyOf(ours),
    watchMs,
  });
  const collections = async (): Promise<readonly string[]> =>
    (await client.db(name).listCollections({}, { nameOnly: true }).toArray()).map((one) => one.name).toSorted();
  const content = async (): Promise<Readonly<Record<string, readonly Row[]>>> => {
    const rows = (await collections()).map(async (one) => [one, await client.db(name).collection(one).find().sort({ _id: 1 }).toArray()]);
    return Object.fromEntries(await Promise.all(rows));
  };
  const refusal = (problem: unknown) => ({
    status: 409,
    body: expect.objectContaining({ detail: expect.stringMatching(problem as RegExp) }),
  });

  /** Asserts that nothing of the other installation is left, that this one can work, and that all other collections are unchanged. */
  const expectAdopted = async ({ topic, readSide }: ReturnType<typeof own>, other: MongoReadSide): Promise<void> => {
    expect(await topic.last(ours)).toEqual({ ofPartitions: partitions.map(() => undefined), foreign: [], facts: [] });
    const rows = await content();
    expect(Object.keys(rows).filter((one) => /^\d+-[0-9a-f]{16}\.(?!notes)/.test(one))).toEqual([]);
    for (const one of ['generations', 'fillings', 'readers', 'writers', 'beats', 'facts'])
      expect([one, rows[one] ?? []]).toEqual([one, []]);
    expect(Object.keys(rows).filter((one) => /^history\.\d/.test(one))).toEqual([]);
    for (const one of ['pointer', 'history.pointer'])
      expect(rows[one]).toEqual([expect.objectContaining({ installation: ours, read: null, waited: [], still: [] })]);
    for (const one of kept) expect(rows[one]).toEqual([expect.objectContaining({ some: one })]);
    await expect(other.claim(theirs)).rejects.toThrow(ForeignReadModels);
    await expect(other.generations.begin()).rejects.toThrow(ForeignReadModels);
    await readSide.claim(ours);
    await fill(readSide);
    expect(await readSide.visiblePosition(0)).toBe(7);
    await topic.send(watermarks(9), ours);
    expect((await topic.last(ours)).ofPartitions.map((record) => record?.position)).toEqual(partitions.map(() => 9));
  };

  it('empties the topic and the database of the other one, and nothing else', async () => {
    const { side } = await settled();
    const options = own();
    expect((await options.topic.last(ours)).foreign).toEqual([theirs]);
    await expect(options.readSide.claim(ours)).rejects.toThrow(ForeignReadModels);
    expect(await adoptInsteadOf(options, theirs)).toEqual({ instead_of: theirs, topic: true, database: true });
    await expectAdopted(options, side);
  });

  it('does not change its own data', async () => {
    const options = own();
    await options.topic.ensure();
    await options.topic.send(watermarks(3), ours);
    await sideOf(theirs).claim(theirs);
    expect(await adoptInsteadOf(options, theirs)).toEqual({ instead_of: theirs, topic: false, database: true });
    expect((await options.topic.last(ours)).ofPartitions.map((record) => record?.position)).toEqual(partitions.map(() => 3));
    await options.readSide.claim(ours);
    await newTopic().send(watermarks(4), theirs);
    const before = await content();
    expect(await adoptInsteadOf(options, theirs)).toEqual({ instead_of: theirs, topic: true, database: false });
    expect(await content()).toEqual(before);
  });

  it.each([
    ['before the topic is emptied', 'empty', 'before'],
    ['while the topic is emptied', 'empty', 'within'],
    ['when the topic is empty', 'empty', 'after'],
    ['before the database is taken over', 'take', 'before'],
    ['when the database is taken over', 'take', 'after'],
    ['while generations are dropped', 'drop', 'within'],
    ['when generations are dropped', 'drop', 'after'],
    ['when all is done, before the response', 'finish', 'after'],
  ] as const)('that is interrupted %s completes the takeover when it is repeated', async (_, step, when) => {
    const { side, generation } = await settled();
    const options = own();
    const halfOf: Record<string, () => Promise<void>> = {
      empty: () => emptyHalf(name),
      drop: async () => void (await client.db(name).collection(`${generation}.position`).drop()),
    };
    const cut = async (of: string, work: () => Promise<void>): Promise<void> => {
      if (of !== step) return work();
      if (when === 'within') await halfOf[of]?.();
      if (when === 'after') await work();
      throw new Error('The process was killed.');
    };
    const takeover: MongoReadSide['takeover'] = (insteadOf) => {
      const { take, drop, finish } = options.readSide.takeover(insteadOf);
      return { take: () => cut('take', take), drop: () => cut('drop', drop), finish: () => cut('finish', finish) };
    };
    const killed = {
      ...options,
      topic: { ...options.topic, empty: () => cut('empty', options.topic.empty) },
      readSide: { ...options.readSide, takeover },
    };
    await expect(adoptInsteadOf(killed, theirs)).rejects.toThrow('The process was killed.');
    if (step !== 'finish') {
      // Neither installation uses half-emptied data.
      await expect(options.readSide.claim(ours)).rejects.toThrow(`adopt --instead-of ${theirs}`);
      if (step !== 'empty' && when !== 'before') await expect(side.claim(theirs)).rejects.toThrow(ForeignReadModels);
      await adoptInsteadOf(own(), theirs);
    }
    await expectAdopted(options, side);
  });

  it('that does so twice concurrently does not change data that was created since', async () => {
    await settled();
    const [first, second] = [own(), own()];
    const late = second.readSide.takeover(theirs);
    await late.take();
    await adoptInsteadOf(first, theirs);
    await first.readSide.claim(ours);
    const generation = await fill(first.readSide);
    const before = await content();
    await late.drop();
    await late.finish();
    expect(await content()).toEqual(before);
    expect(await first.readSide.generations.roles()).toMatchObject({ read: generation, awaited: [generation] });
    await expect(late.take()).rejects.toThrow(`does not name installation ${theirs}`);
  });

  it('is refused while the other one is running, as shown by its heartbeats or its records', async () => {
    const { side, topic } = await settled();
    const [before, options] = [await content(), own()];
    const during = (sign: () => Promise<void>): InsteadOfOptions => {
      const tail: KafkaBroker['tail'] = async (...asked) => {
        const found = await options.topic.tail(...asked);
        await sign();
        return found;
      };
      return { ...options, topic: { ...options.topic, tail } };
    };
    // Sends a record of the other installation between those of this one.
    const send = async (): Promise<void> => {
      await topic.send(watermarks(8).slice(0, 1), theirs);
      await options.topic.send(watermarks(8), ours);
    };
    await expect(adoptInsteadOf(during(send), theirs)).rejects.toMatchObject(refusal(new RegExp(`${theirs} is running .its relay`)));
    const beat = { ...options, readSide: { ...options.readSide, beatsOf: beating(options.readSide, side.beat) } };
    await expect(adoptInsteadOf(beat, theirs)).rejects.toMatchObject(refusal(new RegExp(`${theirs} is running .its processes`)));
    const { beats: _, ...rest } = await content();
    const { beats: __, ...same } = before;
    expect(rest).toEqual(same);
    expect((await topic.last(theirs)).ofPartitions.some((record) => record !== undefined)).toBe(true);
  });

  it('does not replace an unknown installation, nor itself', async () => {
    await settled();
    const options = own();
    const before = await content();
    const names = new RegExp(`${nobody}.*the topic names ${theirs}, the database ${theirs}`);
    await expect(adoptInsteadOf(options, nobody)).rejects.toMatchObject(refusal(names));
    await expect(adoptInsteadOf(options, ours)).rejects.toMatchObject(refusal(/is this installation/));
    for (const wrong of [undefined, null, 7, '', 'theirs', `${theirs} `, theirs.replace('0', 'A'), { $ne: ours }]) {
      await expect(adoptInsteadOf(options, wrong)).rejects.toMatchObject({ status: 400 });
    }
    expect(await content()).toEqual(before);
    await adoptInsteadOf(options, theirs);
    await expect(adoptInsteadOf(options, theirs)).rejects.toMatchObject(refusal(/the topic names none, the database 00000000/));
  });
});

/** Sends a heartbeat between two checks. */
const beating = ({ beatsOf }: MongoReadSide, beat: () => Promise<void>): MongoReadSide['beatsOf'] => {
  return async (installation) => {
    const beats = await beatsOf(installation);
    await beat();
    return beats;
  };
};

const emptyHalf = (topic: string): Promise<void> =>
  withAdmin(async (admin) => {
    const ends = await admin.fetchTopicOffsets(topic);
    const half = ends.slice(0, ends.length / 2).map(({ partition, high }) => ({ partition, offset: high }));
    await admin.deleteTopicRecords({ topic, partitions: half });
  });
